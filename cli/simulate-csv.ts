import { CellError, columnsOf, eventsOfRow, type CsvMapping } from '../analysis/simulation/csv-mapping';
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
      const events = eventsOf(value, mapping, places, `${source.file}: line ${line}`);
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

function eventsOf(
  record: readonly string[],
  mapping: CsvMapping,
  places: ReadonlyMap<string, number>,
  place: string,
): ReturnType<typeof eventsOfRow> {
  try {
    return eventsOfRow(mapping, (column) => record[places.get(column) ?? -1] ?? '');
  } catch (error) {
    if (error instanceof CellError) throw new InputError(`${place}: ${error.message}`);
    throw error;
  }
}
