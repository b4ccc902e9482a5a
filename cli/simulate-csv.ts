import { CsvError, parse, type Info } from 'csv-parse';
import { CellError, columnsOf, eventsOfRow, type CsvMapping } from '../analysis/simulation/csv-mapping';
import { InputError } from './input';
import type { Progress, RawLine } from './simulate-lines';
import type { ByteSource } from './simulate-source';

interface Row {
  readonly record: readonly string[];
  readonly info: Info;
}

/** Reads a CSV file with a header row, and maps its rows to events. */
export async function* csvLines(
  source: ByteSource,
  mapping: CsvMapping,
  progress: Progress,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  const input = source.open();
  const rows = input.pipe(
    parse({ bom: true, info: true, delimiter: mapping.delimiter, skip_empty_lines: true }),
  );
  input.once('error', (error: Error) => rows.destroy(error));
  let sequence = 0;
  let places: ReadonlyMap<string, number> | null = null;
  try {
    for await (const { record, info } of rows as AsyncIterable<Row>) {
      if (places === null) {
        places = placesOf(record, mapping, source.file);
        continue;
      }
      progress.lines++;
      const events = eventsOf(record, mapping, places, `${source.file}: line ${info.lines}`);
      if (events.length === 0) progress.unmapped++;
      yield events.map(({ event, ...found }) => ({
        ...found,
        line: info.lines,
        sequence: sequence++,
        text: JSON.stringify(event),
      }));
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line: unknown = error['lines'];
    throw new InputError(`${source.file}: line ${String(line)}: must be CSV (${error.message})`);
  }
  if (places === null) throw new InputError(`${source.file}: line 1: must be the names of the columns`);
}

/** The places of the columns that the mapping reads. */
function placesOf(header: readonly string[], mapping: CsvMapping, file: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const column of columnsOf(mapping)) {
    const place = header.indexOf(column);
    if (place < 0 || header.lastIndexOf(column) !== place)
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
