import { LogJoin } from '../../analysis/estimate/result/log-join';
import type { JoinOptions } from '../../analysis/estimate/join/join';
import type { Statistics } from '../../analysis/estimate/result/statistics';
import type { Parsed } from '../../formats/codec/issues';
import { linesOf, RowError } from '../../node/lines';
import { jsonOf } from '../../node/rows';
import { isJsonObject, type Json } from '../../src/model/json';
import type { Moment } from '../../src/model/units';
import { ParameterError } from '../../src/privacy/parameters';
import { InputError } from '../io/input';
import { readRange, type SizedFile } from '../io/log-ranges';
import { linesOfPart, NotAlone, partOfId, type LogPart } from './log-part';

/** What a log is joined for. */
export interface JoinSetup {
  readonly groupBy: readonly string[];
  readonly joining: JoinOptions;
  /** `completeUntil` of `joining`, in ISO 8601. */
  readonly asOf: string | null;
}

export interface JoinTask extends JoinSetup, LogPart {
  readonly sources: readonly SizedFile[];
  readonly reports: readonly SizedFile[];
  /** Shared by all threads: by `PROGRESS`, and from `PROGRESS.read` on the bytes that all parts have read of each file. */
  readonly progress: BigInt64Array;
}

/** The places in `progress`. The cells and groups are those of one part. */
export const PROGRESS = { cells: 0, groups: 1, read: 2 } as const;

export interface JoinedPart {
  readonly statistics: Statistics;
  readonly lastArrival: Moment;
}

/** Only a reader of the whole log can say in which line a mistake is. */
const IN_ORDER = [InputError, NotAlone, ParameterError, RowError];

/**
 * Joins the sources and reports of one part. Reads all lines, but parses only those of the part.
 * @returns null if the log must be joined in order: something is wrong with it, or a row can depend on one of another part.
 */
export async function joinPart(task: JoinTask): Promise<JoinedPart | null> {
  const { sources, reports, groupBy, joining, asOf, progress } = task;
  try {
    const join = new LogJoin(groupBy, joining);
    for await (const rows of rowsOf(sources, task, PROGRESS.read)) {
      for (const row of rows) addSource(join, row, task);
      Atomics.store(progress, PROGRESS.cells, BigInt(join.cells));
      Atomics.store(progress, PROGRESS.groups, BigInt(join.groupCount));
    }
    if (join.missing() !== undefined) return null;
    for await (const rows of rowsOf(reports, task, PROGRESS.read + sources.length))
      for (const row of rows) {
        const report = join.addReport(row);
        if (report !== null) check(report, task);
      }
    return { statistics: join.statistics(asOf), lastArrival: join.lastArrival };
  } catch (error) {
    if (IN_ORDER.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

/** The rows of a part, in the chunks in which they arrive. @param place of the first file in the progress */
async function* rowsOf(
  files: readonly SizedFile[],
  task: JoinTask,
  place: number,
): AsyncGenerator<readonly Json[], void, undefined> {
  for (const [index, file] of files.entries()) {
    const chunks = counted(file, (read) => void Atomics.add(task.progress, place + index, BigInt(read)));
    for await (const lines of linesOf(linesOfPart(chunks, task))) yield lines.map(jsonOf);
  }
}

/** All parts see the same lines, even if the file grows. */
function* counted(
  { file, size }: SizedFile,
  onRead: (bytes: number) => void,
): Generator<Buffer, void, undefined> {
  for (const bytes of readRange({ file, start: 0, end: size })) {
    yield bytes;
    onRead(bytes.length);
  }
}

function addSource(join: LogJoin, row: Json, part: LogPart): void {
  // Rows of other parts can make the configuration of this name.
  if (isJsonObject(row) && Object.hasOwn(row, 'configuration')) throw new NotAlone();
  check(join.addSource(row), part);
}

/** A row whose id the text hid would be missing in its part. */
function check({ value, warnings }: Parsed<{ readonly sourceEventId: bigint }>, { part, of }: LogPart): void {
  if (value === null || warnings.length > 0 || partOfId(value.sourceEventId, of) !== part)
    throw new NotAlone();
}
