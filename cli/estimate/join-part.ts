import { LogJoin } from '../../analysis/estimate/result/log-join';
import type { Parsed } from '../../formats/codec/issues';
import { linesOf, RowError } from '../../node/lines';
import { jsonOf } from '../../node/rows';
import { isJsonObject, type Json } from '../../src/model/json';
import { ParameterError } from '../../src/privacy/parameters';
import { InputError } from '../io/input';
import { readRange, type SizedFile } from '../io/log-ranges';
import { PROGRESS, type JoinedPart, type JoinSetup } from './join-workers';
import { linesOfPart, LongLine, partOfId, type LogPart } from './log-part';

/** What is wrong only a reader of the whole can say. */
class NotAlone extends Error {}

const MISTAKES = [InputError, LongLine, NotAlone, ParameterError, RowError];

/**
 * Joins the sources and reports of one part. Reads all lines, but parses only those of the part.
 * @returns null if the log must be joined in order.
 */
export async function joinPart(setup: JoinSetup, part: LogPart): Promise<JoinedPart | null> {
  const { sources, reports, groupBy, joining, asOf, progress } = setup;
  const read = (place: number) => (bytes: number) => void Atomics.add(progress, place, bytes >> 10);
  try {
    const join = new LogJoin(groupBy, joining);
    for await (const rows of rowsOf(sources, part, read(PROGRESS.sources))) {
      for (const row of rows) addSource(join, row, part);
      Atomics.store(progress, PROGRESS.cells, join.cells);
      Atomics.store(progress, PROGRESS.groups, join.groupCount);
    }
    if (join.missing() !== undefined) return null;
    for await (const rows of rowsOf(reports, part, read(PROGRESS.reports)))
      for (const row of rows) {
        const report = join.addReport(row);
        if (report !== null) check(report, part);
      }
    return { statistics: join.statistics(asOf), lastArrival: join.lastArrival };
  } catch (error) {
    if (MISTAKES.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

/** The rows of a part, in the chunks in which they arrive. */
async function* rowsOf(
  files: readonly SizedFile[],
  part: LogPart,
  onRead: (bytes: number) => void,
): AsyncGenerator<readonly Json[], void, undefined> {
  for (const file of files)
    for await (const lines of linesOf(linesOfPart(counted(file, onRead), part))) yield lines.map(jsonOf);
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
