import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { columnsOf, roomFor } from '../../analysis/learn/example-columns';
import { parseDataMap, type DataMap } from '../../analysis/learn/data-map';
import type { Examples } from '../../analysis/learn/examples';
import { fieldsOf } from '../../analysis/learn/prepare';
import { isJsonObject, type Json } from '../../src/model/json';
import { openToRead, Replacement } from '../../node/files';
import { accept, InputError } from '../io/input';
import { writing } from '../io/output';

/*
 * A file of examples: FIRST; parts of ROWS examples (the last has the rest), each column after column; `{ "count": …, "map": … }` in UTF-8;
 * and the length of that in four bytes. Numbers are in the machine's byte order, which is little-endian wherever Node runs.
 */

const FIRST = Buffer.from('cointoss examples 1\n');
const ROWS = 1 << 14;
const LENGTH_BYTES = 4;

/** Writes examples one after another. The file exists once it is complete. */
export class ExamplesFile {
  private readonly replacement: Replacement;
  private readonly part: Examples;
  count = 0;

  /** @throws InputError if it cannot be written; so do the methods. */
  constructor(
    private readonly file: string,
    private readonly map: { readonly json: Json; readonly value: DataMap },
  ) {
    this.part = roomFor(fieldsOf(map.value), ROWS);
    this.replacement = writing(file, () => new Replacement(file, 'umask'));
    this.write(FIRST);
  }

  /** @param fill writes the example into a row. */
  add(fill: (into: Examples, row: number) => void): void {
    fill(this.part, this.count % ROWS);
    this.count += 1;
    if (this.count % ROWS === 0) this.writePart(ROWS);
  }

  finish(): void {
    this.writePart(this.count % ROWS);
    const footer = Buffer.from(JSON.stringify({ count: this.count, map: this.map.json }));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(footer.length);
    this.write(Buffer.concat([footer, length]));
    writing(this.file, () => this.replacement.finish());
  }

  /** Without `finish`, nothing remains. */
  close(): void {
    this.replacement.close();
  }

  private writePart(rows: number): void {
    for (const { values, width } of columnsOf(this.part))
      this.write(bytesOf(values.subarray(0, rows * width)));
  }

  private write(bytes: Uint8Array): void {
    writing(this.file, () => this.replacement.write(bytes));
  }
}

export interface StoredExamples {
  /** Before they are prepared. */
  readonly examples: Examples;
  readonly map: DataMap;
  /** SHA-256 of the file. */
  readonly hash: string;
}

/**
 * @param hasFeatures whether the features are wanted; otherwise they are 0, and take no memory until they are written, or copied by `selectRows`.
 * @throws InputError
 */
export function readExamples(file: string, hasFeatures = true): StoredExamples {
  const handle = opened(file);
  try {
    return new Reader(file, handle).read(hasFeatures);
  } finally {
    closeSync(handle);
  }
}

class Reader {
  private readonly hash = createHash('sha256');

  constructor(
    private readonly file: string,
    private readonly handle: number,
  ) {}

  read(hasFeatures: boolean): StoredExamples {
    if (!this.next(Buffer.alloc(FIRST.length)).equals(FIRST)) throw this.bad();
    const { count, map } = this.footer();
    const examples = roomFor(fieldsOf(map), count);
    const columns = columnsOf(examples);
    const features = [examples.categories, examples.numbers] as const;
    const widest = columns.reduce((most, { width }) => Math.max(most, width), 0);
    const skipped = Buffer.alloc(4 * ROWS * widest);
    for (let from = 0; from < count; from += ROWS)
      for (const { values, width } of columns) {
        const bytes = bytesOf(values.subarray(from * width, Math.min(count, from + ROWS) * width));
        const isSkipped = !hasFeatures && features.some((one) => one === values);
        // Memory that nobody has written to takes none.
        this.next(isSkipped ? skipped.subarray(0, bytes.length) : bytes);
      }
    this.hash.update(JSON.stringify([count, map]));
    return { examples, map, hash: this.hash.digest('hex') };
  }

  private footer(): { readonly count: number; readonly map: DataMap } {
    const { size } = fstatSync(this.handle);
    const length = this.at(size - LENGTH_BYTES, LENGTH_BYTES).readUInt32LE();
    if (length > size) throw this.bad();
    const json = this.json(this.at(size - LENGTH_BYTES - length, length).toString());
    const { count, map } = isJsonObject(json) ? json : {};
    if (typeof count !== 'number' || map === undefined) throw this.bad();
    const value = accept(this.file, parseDataMap(map));
    const row = columnsOf(roomFor(fieldsOf(value), 1)).reduce(
      (sum, { values }) => sum + values.byteLength,
      0,
    );
    if (size !== FIRST.length + count * row + length + LENGTH_BYTES) throw this.bad();
    return { count, map: value };
  }

  private json(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw this.bad();
    }
  }

  /** Continues reading. */
  private next<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    if (readWhole(this.handle, bytes, null) < bytes.length) throw this.bad();
    this.hash.update(bytes);
    return bytes;
  }

  private at(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (position < 0 || readWhole(this.handle, bytes, position) < length) throw this.bad();
    return bytes;
  }

  private bad(): InputError {
    return new InputError(`${this.file}: must be a complete file of examples, as \`learn data\` writes them`);
  }
}

function readWhole(handle: number, bytes: Uint8Array, position: number | null): number {
  let read = 0;
  for (let some = -1; read < bytes.length && some !== 0; read += some)
    some = readSync(handle, bytes, read, bytes.length - read, position === null ? null : position + read);
  return read;
}

function opened(file: string): number {
  try {
    return openToRead(file);
  } catch (error) {
    throw new InputError(`${file}: cannot be read: ${messageOf(error)}`);
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array | Float64Array | Int32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
