import {
  CellError,
  columnsOf,
  eventsOfRow,
  ROW_NUMBER,
  type Cells,
  type CsvMapping,
} from '../analysis/simulation/csv-mapping';
import { csvRows, placeOf } from '../node/rows';
import { InputError } from './input';
import { rowProblem } from './rows';
import type { Progress, RawLine } from './simulate-lines';
import type { ByteSource } from './simulate-source';

/** Reads a CSV file with a header row, and maps its rows to events. */
export async function* csvLines(
  source: ByteSource,
  mapping: CsvMapping,
  progress: Progress,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  let sequence = 0;
  let places: ReadonlyMap<string, number> | null = null;
  try {
    for await (const { line, value } of csvRows(source.open(), mapping)) {
      if (places === null) {
        places = placesOf(value, columnsOf(mapping), source.file);
        continue;
      }
      progress.lines++;
      const [known, row] = [places, String(progress.lines)];
      const cells = (column: string): string =>
        column === ROW_NUMBER ? row : (value[known.get(column) ?? -1] ?? '');
      const events = eventsOf(mapping, cells, `${source.file}: line ${line}`);
      if (events.length === 0) progress.unmapped++;
      yield events.map(({ event, ...found }) => ({
        ...found,
        line,
        sequence: sequence++,
        text: JSON.stringify(event),
      }));
    }
  } catch (error) {
    throw rowProblem(source.file, error);
  }
  if (places === null) throw new InputError(`${source.file}: line 1: must be the names of the columns`);
}

/**
 * The places of columns that a mapping reads.
 * @throws InputError
 */
export function placesOf(
  header: readonly string[],
  columns: Iterable<string>,
  file: string,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const column of columns) {
    const place = placeOf(header, column);
    if (place === null)
      throw new InputError(
        `${file}: line 1: must name one column "${column}", which the mapping reads; has ${header.join(', ')}`,
      );
    places.set(column, place);
  }
  return places;
}

function eventsOf(mapping: CsvMapping, cells: Cells, place: string): ReturnType<typeof eventsOfRow> {
  try {
    return eventsOfRow(mapping, cells);
  } catch (error) {
    if (error instanceof CellError) throw new InputError(`${place}: ${error.message}`);
    throw error;
  }
}
