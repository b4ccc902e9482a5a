import { mistake } from '../../formats/codec/mistakes';
import { isJsonObject, type Json } from '../../src/model/json';
import { english } from '../../words/english';
import { CellError, type Cells } from '../../analysis/simulation/cells';
import {
  columnsOf,
  ROW_NUMBER,
  RowMapper,
  type CsvMapping,
  type MappedEvent,
} from '../../analysis/simulation/csv-mapping';
import { ColumnSpellings } from '../../analysis/simulation/column-spellings';
import { areLikeSeconds, LogProfile } from '../../analysis/simulation/log-profile';
import { UnmadeEvents } from '../../analysis/simulation/unmade-events';
import { userOf } from '../../analysis/simulation/log-line';
import type { OutcomeCounter } from '../../analysis/simulation/outcome-counter';
import { recordedIn } from '../../analysis/simulation/recorded/recorded';
import type { Recorded } from '../../analysis/simulation/recorded/recorded-events';
import type { FileRow } from '../io/file-row';
import { InputError } from '../io/input';
import type { InputFiles } from '../io/input-files';
import { readRows, sayNoRows } from '../io/rows';
import type { Summary } from './summary';
import { say, tell } from '../io/terminal';

/** One event of the log, before its registrations are parsed. */
export interface RawLine {
  readonly user: string;
  /** In milliseconds since 1970. */
  readonly time: number;
  /** Its file and line, for messages. */
  readonly place: string;
  /** Its number in the log; one row can make several events. */
  readonly sequence: number;
  /** Events of a user with the same key count once; null where each line counts. */
  readonly once: string | null;
  readonly text: string;
}

/** A user, with their events in the order of the log. */
export interface UserLines<Line = RawLine> {
  readonly user: string;
  readonly lines: readonly Line[];
}

export class Progress {
  /** Rows of all users, or lines that are not blank. */
  rows = 0;
  /** Those of users in the shard. */
  lines = 0;
  /** Rows that map to no event. */
  unmapped = 0;
  /** Rows that were left out because they do not fit the mapping. */
  invalid = 0;
  users = 0;
  /** Events that went into the sort, if there is one, and those that came back. */
  unsorted = 0;
  sorted = 0;
  /** Events left out because an earlier one had the same key. */
  repeated = 0;
  /** The times of events in a log without a map, in milliseconds. */
  first = Infinity;
  last = -Infinity;
  /** How many events of the map no row makes. */
  unmade = 0;

  span({ first, last }: Pick<Progress, 'first' | 'last'>): void {
    this.first = Math.min(this.first, first);
    this.last = Math.max(this.last, last);
  }

  /** Says when the events of a log without a map were, and warns if that cannot be. */
  saySpan(input: InputFiles): void {
    const { first, last } = this;
    if (first > last) return;
    tell([`events from ${iso(first)} to ${iso(last)}`]);
    if (areLikeSeconds(first, last))
      say(
        `${input.names.join(', ')}: timestamps such as "${first}" look like seconds since 1970; they must be milliseconds (add 000)`,
      );
  }

  /** Including the results of the events. */
  summary(tally: OutcomeCounter): Summary {
    const { lines, unmapped, invalid, users, repeated } = this;
    return { lines, unmapped, invalid, users, repeated, tally };
  }
}

/** Which lines of another program's file are read. */
type Wanted = (recorded: Recorded) => Recorded['lines'];

/** Reads a log with one event per row. Skips blank lines, and users who are not in the shard. */
export async function* eventLines(
  input: InputFiles,
  progress: Progress,
  isInShard: (user: string) => boolean,
  wanted: Wanted = ({ lines }) => lines,
): AsyncGenerator<readonly EventLine[], void, undefined> {
  yield* eventLinesOf(readRows(input), progress, isInShard, wanted);
  if (progress.rows === 0) sayNoEvents(input);
}

export const sayNoEvents = (input: InputFiles): void => sayNoRows(input, 'events');

/** The events that rows are, of the users who are in the shard. @throws InputError */
export async function* eventLinesOf(
  rows: AsyncIterable<readonly FileRow[]>,
  progress: Progress,
  isInShard: (user: string) => boolean,
  wanted: Wanted = ({ lines }) => lines,
): AsyncGenerator<readonly EventLine[], void, undefined> {
  const notes = new Map<string, number>();
  for await (const some of rows) {
    const own = some
      .flatMap((row) => eventRows(row, wanted, notes).map((each) => eventLine(each, progress.rows++)))
      .filter(({ user }) => isInShard(user));
    progress.lines += own.length;
    for (const { time } of own) progress.span({ first: time, last: time });
    yield own;
  }
  for (const [note, count] of notes) if (count > 0) tell([`${count} ${note}`]);
}

/** The row, if it is an event, or the events that another program put into it. @throws InputError */
function eventRows(row: FileRow, wanted: Wanted, notes: Map<string, number>): readonly FileRow[] {
  const found = recordedIn(row.value, row.file);
  if (found === null) return [row];
  const { value, errors } = found;
  if (value === null)
    throw new InputError(`${row.place}: ${errors.slice(0, 1).map(english.issueText).join()}`);
  for (const [note, count] of value.notes) notes.set(note, (notes.get(note) ?? 0) + count);
  const { file, place, cells } = row;
  return wanted(value).map((line) => ({ file, place, cells, value: line, text: () => JSON.stringify(line) }));
}

function eventLine(row: FileRow, sequence: number): EventLine {
  const { value } = row;
  const user = userOf(value);
  if (user === null) throw new InputError(`${row.place}: ${english.mistakeText(mistake('no-user'))}`);
  const timestamp = isJsonObject(value) ? value['timestamp'] : undefined;
  if (typeof timestamp !== 'string' || !/^\d{1,15}$/.test(timestamp))
    throw new InputError(
      `${row.place}: timestamp: must be a string with milliseconds since 1970, was ${timestamp === undefined ? 'missing' : JSON.stringify(timestamp)}`,
    );
  return new EventLine(row, user, Number(timestamp), sequence);
}

/** A row that is an event. */
export class EventLine implements RawLine {
  readonly once = null;

  constructor(
    private readonly row: FileRow,
    readonly user: string,
    readonly time: number,
    readonly sequence: number,
  ) {}

  get place(): string {
    return this.row.place;
  }

  get value(): Json {
    return this.row.value;
  }

  get text(): string {
    return this.row.text();
  }
}

/** A map from the rows of a log to events. */
export interface LogMapping {
  /** Its file. */
  readonly file: string;
  readonly mapping: CsvMapping;
  /** Whether the rows are CSV whatever the name of the log. */
  readonly csv: boolean;
  /** Whether rows that do not fit are counted and left out; otherwise the first one throws. */
  readonly skipInvalid: boolean;
}

/** Reads rows, and maps each to events. Skips users who are not in the shard. */
export async function* mappedLines(
  input: InputFiles,
  { file, mapping, csv, skipInvalid }: LogMapping,
  progress: Progress,
  isInShard: (user: string) => boolean,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  const { delimiter, columns } = mapping;
  let [number, sequence] = [0, 0];
  const refuse = (problem: InputError): void => {
    if (!skipInvalid) throw problem;
    if (progress.invalid === 0) say(`${problem.message}; it is left out`);
    progress.invalid += 1;
  };
  /** The user is unknown, so one shard must take the row. */
  const withoutCells = (problem: InputError): void => {
    number += 1;
    if (!isInShard('')) return;
    progress.lines += 1;
    refuse(problem);
  };
  const wanted = [...columnsOf(mapping)];
  const unmade = new UnmadeEvents(mapping);
  const profile = new LogProfile(mapping.events.length);
  const spellings = new ColumnSpellings(wanted);
  const mapper = new RowMapper(mapping, profile);
  for await (const rows of readRows(input, { wanted, csv, delimiter, columns, refuse: withoutCells }))
    yield rows.flatMap((row) => {
      number += 1;
      if (!isInShard(row.cells(mapping.user))) return [];
      progress.lines += 1;
      const cells: Cells = (column) => (column === ROW_NUMBER ? String(number) : row.cells(column));
      unmade.see(cells);
      spellings.see(cells);
      const events = eventsOf(mapper, row, cells, refuse);
      if (events?.length === 0) progress.unmapped += 1;
      return (events ?? []).map((found) => ({
        place: row.place,
        sequence: sequence++,
        ...found,
      }));
    });
  const problems = unmade.list();
  // A shard can be without an event, but not the whole log.
  if (profile.isEmpty && number > 0 && number === progress.lines && progress.invalid === 0)
    throw new InputError(`${file}: none of ${number} rows makes an event: ${problems.join('; ')}`);
  const doubt = skipInvalid || mapping.relative ? null : profile.doubt(mapping.unit, iso);
  if (doubt !== null) throw new InputError(`${file}: ${doubt}`);
  for (const problem of problems) say(`${file}: ${problem}`);
  progress.unmade = problems.length;
  if (number > 0) tell([profile.text(progress.lines, iso), spellings.text()]);
  else sayNoEvents(input);
}

/** Later than dates go, as its number. */
const iso = (time: number): string => (time <= 8.64e15 ? new Date(time).toISOString() : String(time));

/** Null for a row that does not fit. */
function eventsOf(
  mapper: RowMapper,
  row: FileRow,
  cells: Cells,
  refuse: (problem: InputError) => void,
): readonly MappedEvent[] | null {
  try {
    return mapper.eventsOf(cells);
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    refuse(new InputError(`${row.place}: ${error.message}`));
    return null;
  }
}
