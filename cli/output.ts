import { once } from 'node:events';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { InputError } from './input';

/** Lines of JSON that become a file once they are complete. */
export interface Output {
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything written so far would survive a power cut, where the system can promise that. */
  sync(): Promise<void>;
  /** Does what can take long, so that `finish` does not. */
  prepare(): Promise<void>;
  /** Gives the complete output its name. */
  finish(): Promise<void>;
  /** What is not finished is removed, unless it can be continued. */
  close(): Promise<void>;
}

export interface OutputOptions {
  /** How many bytes of an unfinished output stay. */
  readonly kept?: number;
  /** Whether an unfinished output stays for a run that continues it. */
  readonly continuable?: boolean;
  /** Makes the finished file from the unfinished one, where both differ. */
  readonly convert?: (unfinished: string, finished: string) => Promise<void>;
}

/** Whether the output is a file (or would be one), which can be cut and continued: not a pipe, a device or standard output. */
export const isContinuable = (file: string): boolean =>
  file !== '-' && statSync(file, { throwIfNoEntry: false })?.isFile() !== false;

/** Where a file is while it is not complete. */
export const unfinishedOf = (file: string): string => `${file}.unfinished`;

const newOf = (file: string): string => `${file}.new`;

/**
 * @param file a path, or `-` for standard output.
 * @throws InputError when it cannot be written, or has fewer than `kept` bytes.
 */
export async function openOutput(file: string, options: OutputOptions = {}): Promise<Output> {
  if (file === '-') return new StreamOutput(process.stdout);
  const { kept = 0 } = options;
  try {
    if (!isContinuable(file))
      return new FileOutput(file, await open(file, 'w'), { ...options, inPlace: true });
    const unfinished = unfinishedOf(file);
    const handle = await open(unfinished, kept === 0 ? 'w' : 'r+');
    if (kept === 0) return new FileOutput(file, handle, options);
    const { size } = await handle.stat();
    if (size < kept)
      throw new InputError(`${unfinished}: must have the ${kept} bytes of its checkpoint, has ${size}`);
    await handle.truncate(kept);
    return new FileOutput(file, handle, options, kept);
  } catch (error) {
    throw failure(file, error);
  }
}

const failure = (file: string, error: unknown): InputError =>
  error instanceof InputError
    ? error
    : new InputError(`${file}: cannot be written: ${error instanceof Error ? error.message : String(error)}`);

/**
 * Writes a whole file. Atomic: a rename replaces it.
 * @param mode who may read and write it; the process's mask takes away from that.
 * @throws InputError
 */
export function replaceFile(file: string, content: string | Uint8Array, mode = 0o666): void {
  writing(file, () => {
    writeFileSync(newOf(file), content, { flush: true, mode });
    renameSync(newOf(file), file);
  });
}

/** @throws InputError with the file */
export function writing<T>(file: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw failure(file, error);
  }
}

class FileOutput implements Output {
  private prepared = false;
  private finished = false;

  constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
    private readonly options: OutputOptions & { readonly inPlace?: boolean },
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

  async prepare(): Promise<void> {
    const { inPlace = false, convert } = this.options;
    if (inPlace || this.prepared) return;
    try {
      await this.sync();
      await convert?.(unfinishedOf(this.file), newOf(this.file));
      this.prepared = true;
    } catch (error) {
      throw failure(this.file, error);
    }
  }

  async finish(): Promise<void> {
    await this.prepare();
    const { inPlace = false, convert } = this.options;
    if (!inPlace)
      writing(this.file, () =>
        renameSync(convert === undefined ? unfinishedOf(this.file) : newOf(this.file), this.file),
      );
    this.finished = true;
  }

  async close(): Promise<void> {
    await this.handle.close();
    const { inPlace = false, continuable = false } = this.options;
    if (inPlace) return;
    rmSync(newOf(this.file), { force: true });
    if (this.finished || !continuable) rmSync(unfinishedOf(this.file), { force: true });
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

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
