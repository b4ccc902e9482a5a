import { streams, type Schema } from 'avsc';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { avroRows } from '../../../cli/io/avro';
import { ByteSource } from '../../../cli/io/byte-source';
import { root } from '../../../node/root';
import type { Json } from '../../../src/model/json';

const folder = mkdtempSync(join(tmpdir(), 'avro-'));
const file = join(folder, 'rows.avro');

afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file with one column, as an encoder of another library could. */
async function write(type: Schema, values: readonly unknown[]): Promise<void> {
  const encoder = new streams.BlockEncoder({
    type: 'record',
    name: 'Row',
    fields: [{ name: 'value', type }],
  });
  const written: Buffer[] = [];
  encoder.on('data', (bytes: Buffer) => written.push(bytes));
  for (const value of values) encoder.write({ value });
  encoder.end();
  await once(encoder, 'end');
  writeFileSync(file, Buffer.concat(written));
}

async function valuesIn(type: Schema, values: readonly unknown[]): Promise<readonly Json[]> {
  await write(type, values);
  const found = [];
  for await (const rows of avroRows(new ByteSource(file))) found.push(...rows.map((row) => row.value));
  return found;
}

test('an Avro file that is not compressed is read, and no value of a union of two numbers is lost', async () => {
  expect(await valuesIn(['null', 'int', 'long'], [{ int: 3 }, null])).toEqual([{ value: 3 }, {}]);
});

test.each<[string, Schema, unknown, Json]>([
  ["Java's string", { type: 'string', 'avro.java.string': 'String' }, 'a', 'a'],
  ['a long in an object', { type: 'long' }, 5, 5],
  ['a time', { type: 'long', logicalType: 'timestamp-millis' }, 1_642_218_050_000, 1_642_218_050_000],
  ['a bucket', { type: 'bytes', doc: 'a key' }, Buffer.from([1, 89]), '0x0159'],
  ['a union of them', ['null', { type: 'long' }], 5, 5],
])('%s is the plain type that it annotates', async (_what, type, written, read) => {
  expect(await valuesIn(type, [written])).toEqual([{ value: read }]);
});

test.each<[string, Schema, unknown]>([
  ['a list', { type: 'array', items: 'null' }, [null]],
  ['a record', { type: 'record', name: 'Inner', fields: [] }, {}],
  ['nothing', { type: 'null' }, null],
])('%s is refused', async (_what, type, written) => {
  await expect(valuesIn(type, [written])).rejects.toThrow('its schema must be a record of plain fields');
});

test('the command as it is built reads Avro', async () => {
  await write('string', ['a']);
  const command = [join(root, 'cli/cointoss.mjs'), 'simulate', '--input', file, '--output', '-'];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  expect(stderr).toMatch(/rows\.avro: row 1: must be [^\n]*\n$/);
  expect(status).toBe(2);
});
