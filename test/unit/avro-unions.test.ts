import { streams } from 'avsc';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { avroRows } from '../../cli/io/avro';
import { ByteSource } from '../../cli/io/byte-source';

test('an Avro file that is not compressed is read, and no value of a union of two numbers is lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avro-'));
  try {
    const file = join(folder, 'rows.avro');
    const encoder = new streams.BlockEncoder({
      type: 'record',
      name: 'Row',
      fields: [{ name: 'value', type: ['null', 'int', 'long'] }],
    });
    const written: Buffer[] = [];
    encoder.on('data', (bytes: Buffer) => written.push(bytes));
    encoder.write({ value: { int: 3 } });
    encoder.end({ value: null });
    await once(encoder, 'end');
    writeFileSync(file, Buffer.concat(written));
    const values = [];
    for await (const rows of avroRows(new ByteSource(file))) values.push(...rows.map((row) => row.value));
    expect(values).toEqual([{ value: 3 }, {}]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
