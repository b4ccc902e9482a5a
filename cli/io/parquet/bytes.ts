/** Bytes of a Parquet file that its reader could not finish, or not within its memory. */
export class ParquetError extends Error {}

/** Bytes that are read in order. Reading beyond the end throws a RangeError. */
export class Cursor {
  constructor(
    readonly view: DataView,
    public at = 0,
  ) {}

  get left(): number {
    return this.view.byteLength - this.at;
  }

  byte(): number {
    return this.view.getUint8(this.at++);
  }

  /** A little-endian number of so many bytes. */
  little(size: number): number {
    let value = 0;
    for (let index = 0; index < size; index++) value += this.byte() * 2 ** (8 * index);
    return value;
  }

  skip(bytes: number): void {
    if (!(bytes >= 0 && bytes <= this.left)) throw new ParquetError(`${bytes} of ${this.left} bytes`);
    this.at += bytes;
  }

  /** An unsigned LEB128 number. The reader takes 32 bits of it, with a sign. */
  count(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (value >= 2 ** 31) throw new ParquetError('a count above 2^31');
      if (byte < 128) return value;
    }
  }

  /** A number of at most 64 bits whose value does not matter here. */
  skipNumber(): void {
    for (let length = 1; this.byte() >= 128; length++)
      if (length === 10) throw new ParquetError('a number of more than 64 bits');
  }
}

/** Parquet's structures nest about six deep. */
const MOST_NESTED = 32;

/** Skips a structure in Thrift's compact protocol. A list must not be longer than the bytes that follow. */
export function skipStruct(bytes: Cursor, depth = 0): void {
  if (depth > MOST_NESTED) throw new ParquetError('structures nest too deep');
  for (let head = bytes.byte(); (head & 15) !== 0; head = bytes.byte()) {
    if (head >> 4 === 0) bytes.skipNumber();
    skipValue(bytes, head & 15, depth);
  }
}

function skipValue(bytes: Cursor, type: number, depth: number): void {
  switch (type) {
    // In a field, true and false have no bytes.
    case 1:
    case 2:
      return;
    case 3:
      bytes.skip(1);
      return;
    case 4:
    case 5:
    case 6:
      bytes.skipNumber();
      return;
    case 7:
      bytes.skip(8);
      return;
    case 8:
      bytes.skip(bytes.count());
      return;
    case 9:
      skipList(bytes, depth + 1);
      return;
    case 12:
      skipStruct(bytes, depth + 1);
      return;
    default:
      throw new ParquetError(`values of type ${type}`);
  }
}

function skipList(bytes: Cursor, depth: number): void {
  if (depth > MOST_NESTED) throw new ParquetError('lists nest too deep');
  const head = bytes.byte();
  const type = head & 15;
  const size = head >> 4 === 15 ? bytes.count() : head >> 4;
  if (size > bytes.left) throw new ParquetError(`a list of ${size} in ${bytes.left} bytes`);
  for (let index = 0; index < size; index++) skipValue(bytes, type <= 2 ? 3 : type, depth);
}

/**
 * A size or count that a file states.
 * @throws ParquetError
 */
export function atMost(most: number, value: unknown, what: string): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 && number <= most)
    return number;
  throw new ParquetError(`${what}: must be at most ${most}, was ${String(value)}`);
}
