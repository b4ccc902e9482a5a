import { roomFor } from '../../analysis/learn/example-columns';
import { parseDataMap, type DataMap } from '../../analysis/learn/data-map';
import { DataRows } from '../../analysis/learn/data-row';
import { fieldsOf } from '../../analysis/learn/prepare';
import { CellError } from '../../analysis/simulation/cells';
import { withFormula } from '../../formats/csv/formulas';
import { RowError } from '../../node/lines';
import { csvRows } from '../../node/rows';
import { rememberedByKey } from '../../src/model/remembered';
import { accept, InputError } from '../io/input';
import { readRange, type ByteRange } from '../io/log-ranges';
import { LocalNumbers } from './local-numbers';
import { dataWorker, PART_BYTES, type DataPart, type DataTask } from './data-workers';

/** A thread that reads one part of a table after another as examples. */

const map = accept('the map', parseDataMap(dataWorker.setup()));

const MISTAKES = [CellError, InputError, RowError];
const SLICE_BYTES = 1 << 14;

/** In bytes. A part is longer only if its last row is longer than `PART_BYTES`, and threads keep their parts in memory. */
const LONGEST = 2 * PART_BYTES;

/** It must be read with what precedes it: a cell with quotes may have begun there. */
class NotPlain extends Error {}

export default dataWorker.answer(async (task) => {
  try {
    return await partOf(task, map);
  } catch (error) {
    if (error instanceof NotPlain) return 'not-plain';
    // Its class would not outlive the way to the first thread, which then reads the log in order and says what is wrong.
    if (MISTAKES.some((kind) => error instanceof kind)) return 'mistaken';
    throw error;
  }
});

async function partOf({ range, delimiter, columns }: DataTask, { features }: DataMap): Promise<DataPart> {
  const bytes = plainBytes(range);
  const most = linesIn(bytes);
  const examples = roomFor(fieldsOf(map), most);
  const hashed = features.filter(({ kind }) => kind === 'hashed').length;
  const fingerprints = new Uint32Array(new SharedArrayBuffer(4 * hashed * most));
  const numberings = new Map<string, LocalNumbers>();
  const numbersOf = rememberedByKey((column: string) => {
    const numbers = new LocalNumbers();
    numberings.set(column, numbers);
    return numbers;
  });
  let hashes = 0;
  const reader = new DataRows(
    map,
    (column, value) => numbersOf(column).of(value),
    (_, fingerprint) => (fingerprints[hashes++] = fingerprint),
  );
  const places = new Map(columns.map((name, place) => [name, place]));
  let count = 0;
  for await (const rows of csvRows(slicesOf(bytes), { delimiter }))
    for (const { line, value: row } of rows) {
      if (row.length !== columns.length) throw new RowError(line, `must have ${columns.length} columns`);
      const cells = (column: string): string => withFormula(row[places.get(column) ?? -1] ?? '');
      reader.read(cells, count, examples, count);
      count += 1;
    }
  const names = new Map([...numberings].map(([column, numbers]) => [column, numbers.hashes()]));
  const found = { listed: reader.listed(), times: reader.timesRead() };
  return { examples: { ...examples, count }, names, fingerprints, ...found };
}

function plainBytes(range: ByteRange): Buffer {
  if (range.end - range.start > LONGEST) throw new NotPlain();
  const bytes = Buffer.concat([...readRange(range)]);
  // At the beginning of a part, a byte order mark would be taken for that of a file.
  if (['"', '\r', '\ufeff'].some((character) => bytes.includes(character))) throw new NotPlain();
  return bytes;
}

/** The last one may have no end. */
function linesIn(bytes: Buffer): number {
  let count = 1;
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', end + 1)) count += 1;
  return count;
}

/** So that rows are gone before the garbage collector keeps them. */
function* slicesOf(bytes: Buffer): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES)
    yield bytes.subarray(start, start + SLICE_BYTES);
}
