import { ByteSource } from '../cli/io/byte-source';
import { cutLog, filesToCut, readRange, type ByteRange } from '../cli/io/log-ranges';
import type { Json } from '../src/model/json';

/* The least that any program does with a log. */

export type Parts = readonly (readonly ByteRange[])[];

export const partsOf = (log: string): Parts => [...cutLog(filesToCut([new ByteSource(log)]) ?? [])];

export function parsePart(ranges: readonly ByteRange[]): void {
  for (const range of ranges)
    for (const line of Buffer.concat([...readRange(range)])
      .toString()
      .split('\n'))
      if (line !== '') parsed(line);
}

export const parsed = (line: string): Json => JSON.parse(line) as Json;
