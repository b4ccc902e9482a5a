import { ParquetError, type Cursor } from './bytes';

/** How many values more than wanted a last run may have. */
const SLACK = 512;
const WIDEST_LEVEL = 8;

/**
 * Skips runs (Parquet, "RLE/bit-packing hybrid") until they have `wanted` values of `width` bits.
 * @returns how many of them are `counted`; null counts none.
 */
export function skipRuns(bytes: Cursor, width: number, wanted: number, counted: number | null): number {
  let found = 0;
  for (let seen = 0; seen < wanted;) {
    const head = bytes.count();
    const isPacked = head % 2 === 1;
    const length = isPacked ? 8 * (head >>> 1) : head >>> 1;
    if (length > wanted - seen + SLACK)
      throw new ParquetError(`a run of ${length} for ${wanted - seen} values`);
    if (isPacked) {
      const size = (length / 8) * width;
      if (counted !== null) found += countPacked(bytes, width, Math.min(length, wanted - seen), counted);
      // The padding of the last run may be left out.
      bytes.skip(Math.min(size, bytes.left));
    } else if (bytes.little((width + 7) >> 3) === counted) found += Math.min(length, wanted - seen);
    seen += length;
  }
  return found;
}

function countPacked({ view, at }: Cursor, width: number, length: number, counted: number): number {
  let found = 0;
  const byteAt = (index: number): number => (index < view.byteLength ? view.getUint8(index) : 0);
  for (let index = 0; index < length; index++) {
    const bit = index * width;
    const first = at + (bit >> 3);
    const value = ((byteAt(first) | (byteAt(first + 1) << 8)) >> (bit & 7)) & ((1 << width) - 1);
    if (value === counted) found += 1;
  }
  return found;
}

/**
 * Skips the levels of values, of which `deepest` is the greatest.
 * @returns how many values have it
 */
export function skipLevels(bytes: Cursor, deepest: number, values: number): number {
  const width = 32 - Math.clz32(deepest);
  if (width > WIDEST_LEVEL) throw new ParquetError(`levels of ${width} bits`);
  return skipRuns(bytes, width, values, deepest);
}

/** Skips numbers (Parquet, "delta encoding"). */
export function skipDeltas(bytes: Cursor, values: number): void {
  const [block, parts] = [bytes.count(), bytes.count()];
  bytes.skipNumber();
  bytes.skipNumber();
  const inPart = block / parts;
  if (!(parts > 0 && Number.isInteger(inPart / 8) && inPart > 0))
    throw new ParquetError(`blocks of ${block} in ${parts} parts`);
  for (let seen = 1; seen < values;) {
    bytes.skipNumber();
    const widths = Array.from({ length: Math.min(parts, bytes.left) }, () => bytes.byte());
    if (widths.length < parts) throw new ParquetError(`${parts} parts in ${widths.length} bytes`);
    for (const width of widths) {
      if (seen >= values) break;
      if (width > 64) throw new ParquetError(`numbers of ${width} bits`);
      // The padding of the last part may be left out.
      bytes.skip(Math.min((inPart / 8) * width, bytes.left));
      seen += inPart;
    }
  }
}
