import { once } from 'node:events';
import { statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { InputError } from './input';

export interface Output {
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything written so far would survive a power cut, where the system can promise that. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Whether the output is a file (or would be one), which can be cut and continued: not a pipe, a device or standard output. */
export const isContinuable = (file: string): boolean =>
  file !== '-' && statSync(file, { throwIfNoEntry: false })?.isFile() !== false;

/**
 * @param file a path, or `-` for standard output.
 * @param kept how many bytes of an existing file stay.
 * @throws InputError when it cannot be written, or has fewer than `kept` bytes.
 */
export async function openOutput(file: string, kept = 0): Promise<Output> {
  if (file === '-') return new StreamOutput(process.stdout);
  try {
    const handle = await open(file, kept === 0 ? 'w' : 'r+');
    if (kept === 0) return new FileOutput(file, handle);
    const { size } = await handle.stat();
    if (size < kept)
      throw new InputError(`${file}: must have the ${kept} bytes of its checkpoint, has ${size}`);
    await handle.truncate(kept);
    return new FileOutput(file, handle, kept);
  } catch (error) {
    throw failure(file, error);
  }
}

const failure = (file: string, error: unknown): InputError =>
  error instanceof InputError
    ? error
    : new InputError(`${file}: cannot be written: ${error instanceof Error ? error.message : String(error)}`);

class FileOutput implements Output {
  constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
    private position: number | null = null,
  ) {}

  async append(bytes: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await this.handle.write(
          bytes,
          written,
          bytes.length - written,
          this.position === null ? null : this.position + written,
        );
        written += bytesWritten;
      }
      if (this.position !== null) this.position += bytes.length;
    } catch (error) {
      throw failure(this.file, error);
    }
  }

  sync(): Promise<void> {
    return this.handle.datasync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

class StreamOutput implements Output {
  private error: Error | null = null;

  constructor(private readonly stream: Writable) {
    stream.on('error', (error) => (this.error = error));
  }

  async append(bytes: Uint8Array): Promise<void> {
    try {
      if (this.error !== null) throw this.error;
      if (!this.stream.write(bytes)) await once(this.stream, 'drain');
    } catch (error) {
      throw failure('-', error);
    }
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
