import { createFileEncoder } from 'avsc';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { avroRows } from '../../cli/io/avro';
import { ByteSource } from '../../cli/io/byte-source';

test('an Avro file that is not compressed is read, and no value of a union of two numbers is lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'avro-'));
  try {
    const file = join(folder, 'rows.avro');
    const encoder = createFileEncoder(file, {
      type: 'record',
      name: 'Row',
      fields: [{ name: 'value', type: ['null', 'int', 'long'] }],
    });
    encoder.write({ value: { int: 3 } });
    encoder.end({ value: null });
    await once(encoder, 'finish');
    await new Promise((done) => setTimeout(done, 200));
    const values = [];
    for await (const rows of avroRows(new ByteSource(file))) values.push(...rows.map((row) => row.value));
    expect(values).toEqual([{ value: 3 }, {}]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
