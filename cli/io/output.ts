import { once } from 'node:events';
import { closeSync, fdatasync, fstatSync, rmSync, write } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import {
  createAnew,
  cut,
  isStream,
  keepMode,
  openOwn,
  openStream,
  rename,
  Replacement,
  type Audience,
} from '../../node/files';
import { InputError } from './input';

/** Lines of JSON that become a file once they are complete. */
export interface Output {
  append(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything written so far would survive a power cut, if the system can promise that. */
  sync(): Promise<void>;
  /** Does the slow part of the work, so that `finish` is fast. */
  prepare(): Promise<void>;
  /** Gives the complete output its name. */
  finish(): Promise<void>;
  /** Removes what is unfinished, unless it can be continued. */
  close(): Promise<void>;
}

export interface OutputOptions {
  /** How many bytes of an unfinished output are kept. */
  readonly kept?: number;
  /** Is asked when the output closes: whether it is kept, if it is unfinished, for a run that continues it. */
  readonly continuable?: () => boolean;
  /** Who may open it; by default whoever the umask allows. */
  readonly audience?: Audience;
  /** Makes the finished file from the unfinished one, if they differ. */
  readonly convert?: (unfinished: string, finished: number) => Promise<void>;
}

/**
 * Whether the output is or will be a file, which can be cut and continued: not a pipe, a device or standard output.
 * @throws InputError if it can be neither.
 */
export const isContinuable = (file: string): boolean => file !== '-' && !writing(file, () => isStream(file));

/**
 * The path of an unfinished file. The name is predictable: a run that continues must find it, and folders that contain one are refused as
 * input.
 */
export const unfinishedOf = (file: string): string => `${file}.unfinished`;

/**
 * @param file a path, or `-` for standard output.
 * @throws InputError if it cannot be written, or has fewer than `kept` bytes.
 */
export function openOutput(file: string, options: OutputOptions = {}): Output {
  if (file === '-') return (standardOutput ??= new StreamOutput(process.stdout));
  const { kept = 0 } = options;
  try {
    if (isStream(file)) return new FileOutput(file, openStream(file), { ...options, inPlace: true });
    const unfinished = unfinishedOf(file);
    if (kept === 0) {
      const { audience = 'umask' } = options;
      const descriptor = createAnew(unfinished, audience);
      if (audience === 'umask') keepMode(file, descriptor);
      return new FileOutput(file, descriptor, options);
    }
    return new FileOutput(file, continued(unfinished, kept), options, kept);
  } catch (error) {
    throw failure(file, error);
  }
}

function continued(unfinished: string, kept: number): number {
  const descriptor = writing(unfinished, () => openOwn(unfinished));
  const { size } = fstatSync(descriptor);
  if (size < kept) {
    closeSync(descriptor);
    throw new InputError(`${unfinished}: must have the ${kept} bytes of its checkpoint, has ${size}`);
  }
  cut(descriptor, kept);
  return descriptor;
}

const failure = (file: string, error: unknown): InputError =>
  error instanceof InputError
    ? error
    : new InputError(`${file}: cannot be written: ${error instanceof Error ? error.message : String(error)}`);

/**
 * Writes a whole file. Atomic: a rename replaces it.
 * @throws InputError
 */
export function replaceFile(file: string, content: string | Uint8Array, audience: Audience = 'umask'): void {
  writing(file, () => {
    const replacement = new Replacement(file, audience);
    try {
      replacement.write(Buffer.from(content));
      replacement.finish();
    } finally {
      replacement.close();
    }
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

const writeSome = promisify(write);
const dataSync = promisify(fdatasync);

class FileOutput implements Output {
  private converted: Replacement | null = null;
  private prepared = false;
  private finished = false;

  constructor(
    private readonly file: string,
    private readonly descriptor: number,
    private readonly options: OutputOptions & { readonly inPlace?: boolean },
    private position: number | null = null,
  ) {}

  async append(bytes: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await writeSome(
          this.descriptor,
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
    return dataSync(this.descriptor);
  }

  async prepare(): Promise<void> {
    const { inPlace = false, convert } = this.options;
    if (inPlace || this.prepared) return;
    try {
      await this.sync();
      if (convert !== undefined) {
        this.converted = new Replacement(this.file, 'umask');
        await convert(unfinishedOf(this.file), this.converted.descriptor);
      }
      this.prepared = true;
    } catch (error) {
      throw failure(this.file, error);
    }
  }

  async finish(): Promise<void> {
    await this.prepare();
    if (this.options.inPlace !== true)
      writing(this.file, () => {
        if (this.converted === null) rename(unfinishedOf(this.file), this.file);
        else this.converted.finish();
      });
    this.finished = true;
  }

  close(): Promise<void> {
    closeSync(this.descriptor);
    this.converted?.close();
    const { inPlace = false, continuable = () => false } = this.options;
    if (inPlace) return Promise.resolve();
    if (this.finished || !continuable()) rmSync(unfinishedOf(this.file), { force: true });
    return Promise.resolve();
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

/** One for the whole process: an error of standard output stays an error after a command has ended. */
let standardOutput: StreamOutput | undefined;
