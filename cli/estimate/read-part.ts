import { isAscii } from 'node:buffer';
import { AlikeRows } from '../../analysis/estimate/join/alike-rows';
import type { LoggedSource } from '../../analysis/estimate/join/logged-source';
import { hashOf } from '../../analysis/estimate/join/key-table';
import { SourceNumbers, type NumberedSources } from '../../analysis/estimate/join/numbered-sources';
import { SourceRows } from '../../analysis/estimate/join/source-rows';
import { ReportRows } from '../../analysis/estimate/result/log-join';
import type { Parsed } from '../../formats/codec/issues';
import type { CollectedReport } from '../../formats/reports/report-line';
import { linesOf, RowError, type Row } from '../../node/lines';
import { jsonOf } from '../../node/rows';
import { isJsonObject } from '../../src/model/json';
import { InputError } from '../io/input';
import { readRange, type ByteRange } from '../io/log-ranges';
import { BlockFile, ReportBlocks, SourceBlocks, type Block } from './part-blocks';

/** Lines of a log that one thread reads. */
export interface ReadTask {
  readonly sources: readonly PlacedRange[];
  readonly reports: readonly PlacedRange[];
  readonly groupBy: readonly string[];
  /** How many parts the log has. */
  readonly of: number;
  /** Of the temporary file for what is read, which only this thread writes. */
  readonly descriptor: number;
  /** Shared by all threads: by `PROGRESS`, and the bytes that were read of each file. */
  readonly progress: BigInt64Array;
}

export interface PlacedRange extends ByteRange {
  /** Of its file in the progress. */
  readonly place: number;
}

/** The places in `progress`. The cells and groups are those of one thread. */
export const PROGRESS = { cells: 0, groups: 1, joined: 2, read: 3 } as const;

/** What one thread has read, in the order of the log. */
export interface ReadLog extends NumberedSources {
  readonly descriptor: number;
  readonly sources: readonly Block[];
  readonly reports: readonly Block[];
  readonly otherKinds: ReadonlyMap<string, number>;
  /** The columns to group by that a source had. */
  readonly columns: readonly string[];
}

/** A line that its thread cannot read alone. */
class NotAlone extends Error {}

/** Only a reader of the whole log can say in which line a mistake is. */
const IN_ORDER = [InputError, NotAlone, RowError];

/** @returns null if the log must be joined in order: something is wrong with it, or a row can depend on one that another thread reads. */
export async function readPart(task: ReadTask): Promise<ReadLog | null> {
  try {
    const file = new BlockFile(task.descriptor);
    return {
      descriptor: task.descriptor,
      ...(await readSources(task, file)),
      ...(await readReports(task, file)),
    };
  } catch (error) {
    if (IN_ORDER.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

async function readSources(
  { sources, groupBy, of, progress }: ReadTask,
  file: BlockFile,
): Promise<Pick<ReadLog, 'sources' | 'parties' | 'groups' | 'columns'>> {
  const rows = new SourceRows(groupBy);
  const alike = new AlikeRows(rows);
  const numbers = new SourceNumbers();
  const written = new SourceBlocks(file, of);
  for await (const lines of linesIn(sources, progress)) {
    for (const line of lines) {
      const source = sourceIn(line, rows, alike);
      const { sourceEventId, time } = source;
      const [party, group] = [numbers.partyOf(source), numbers.groupOf(source)];
      written.add(partOfId(sourceEventId, of), { sourceEventId, time, party, group });
    }
    Atomics.store(progress, PROGRESS.cells, BigInt(numbers.cells));
    Atomics.store(progress, PROGRESS.groups, BigInt(numbers.groups.length));
  }
  written.finish();
  const { parties, groups } = numbers;
  return { sources: written.blocks, parties, groups, columns: rows.columns };
}

function sourceIn(line: Row<string>, rows: SourceRows, alike: AlikeRows): LoggedSource {
  const known = alike.parse(line.value);
  if (known !== null) return known;
  const row = jsonOf(line);
  // Rows that another thread reads can make the configuration of this name.
  if (isJsonObject(row) && Object.hasOwn(row, 'configuration')) throw new NotAlone();
  const source = valueOf(rows.parse(row));
  alike.add(line.value, row);
  return source;
}

function valueOf<T>({ value, warnings }: Parsed<T>): T {
  if (value === null || warnings.length > 0) throw new NotAlone();
  return value;
}

async function readReports(
  { reports, of, progress }: ReadTask,
  file: BlockFile,
): Promise<Pick<ReadLog, 'reports' | 'otherKinds'>> {
  const rows = new ReportRows();
  const written = new ReportBlocks(file, of);
  for await (const lines of linesIn(reports, progress))
    for (const line of lines) {
      const parsed = rows.parse(jsonOf(line));
      if (parsed === null) continue;
      const report = valueOf<CollectedReport>(parsed);
      written.add(partOfId(report.sourceEventId, of), report);
    }
  written.finish();
  return { reports: written.blocks, otherKinds: rows.otherKinds };
}

/** The lines, in the chunks in which they arrive. All threads see the same ones, even if the file grows. */
async function* linesIn(
  ranges: readonly PlacedRange[],
  progress: BigInt64Array,
): AsyncGenerator<readonly Row<string>[], void, undefined> {
  for (const range of ranges) yield* linesOf(counted(range, progress), { keepsMark: range.start > 0, ascii });
}

/** Most logs are ASCII. */
const ascii = (bytes: Uint8Array): string | null =>
  isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') : null;

function* counted(range: PlacedRange, progress: BigInt64Array): Generator<Buffer, void, undefined> {
  for (const bytes of readRange(range)) {
    yield bytes;
    Atomics.add(progress, range.place, BigInt(bytes.length));
  }
}

const ID = new BigUint64Array(1);
const WORDS = new Int32Array(ID.buffer);

/** Sources with the same id, and their reports, are in one part. Ids can be multiples of the number of parts, so their bits are mixed. */
export function partOfId(id: bigint, of: number): number {
  ID[0] = id;
  return hashOf(WORDS, WORDS.length) % of;
}
