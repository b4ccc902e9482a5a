import { roomFor } from '../../analysis/learn/example-columns';
import { parseDataMap, type DataMap } from '../../analysis/learn/data-map';
import { DataRows } from '../../analysis/learn/data-row';
import { fieldsOf } from '../../analysis/learn/prepare';
import { CellError } from '../../analysis/simulation/cells';
import { withFormula } from '../../formats/csv/formulas';
import { RowError } from '../../node/lines';
import { csvRows } from '../../node/rows';
import { rememberedByKey } from '../../src/model/remembered';
import { accept } from '../io/input';
import { readRange, type ByteRange } from '../io/log-ranges';
import { LocalNumbers } from './local-numbers';
import { dataWorker, type DataPart, type DataTask } from './data-workers';

/** A thread that reads one part of a table after another as examples. */

const map = accept('the map', parseDataMap(dataWorker.setup()));

/** It must be read with what precedes it: a cell with quotes may have begun there. */
class NotPlain extends Error {}

export default dataWorker.answer(async (task) => {
  try {
    return await partOf(task, map);
  } catch (error) {
    if (error instanceof NotPlain || error instanceof CellError || error instanceof RowError) return null;
    throw error;
  }
});

async function partOf({ range, delimiter, columns }: DataTask, { features }: DataMap): Promise<DataPart> {
  const rows = await plainRows(range, delimiter, columns.length);
  const examples = roomFor(fieldsOf(map), rows.length);
  const hashed = features.filter(({ kind }) => kind === 'hashed').length;
  const fingerprints = new Uint32Array(new SharedArrayBuffer(4 * hashed * rows.length));
  const numberings = new Map<string, LocalNumbers>();
  const numbersOf = rememberedByKey((column: string) => {
    const numbers = new LocalNumbers();
    numberings.set(column, numbers);
    return numbers;
  });
  let count = 0;
  const reader = new DataRows(
    map,
    (column, value) => numbersOf(column).of(value),
    (_, fingerprint) => (fingerprints[count++] = fingerprint),
  );
  const places = new Map(columns.map((name, place) => [name, place]));
  rows.forEach((row, index) => {
    const cells = (column: string): string => withFormula(row[places.get(column) ?? -1] ?? '');
    reader.read(cells, index, examples, index);
  });
  const names = new Map([...numberings].map(([column, numbers]) => [column, numbers.hashes()]));
  return { examples, names, fingerprints, listed: reader.listed() };
}

async function plainRows(range: ByteRange, delimiter: string, cells: number): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const some of csvRows(plainBytes(range), { delimiter }))
    for (const { value } of some)
      if (value.length === cells) rows.push(value);
      else throw new NotPlain();
  return rows;
}

function* plainBytes(range: ByteRange): Generator<Uint8Array, void, undefined> {
  for (const bytes of readRange(range)) {
    if (bytes.includes('"') || bytes.includes('\r')) throw new NotPlain();
    yield bytes;
  }
}
