import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { Download } from '../../../collector/http/table';

const table: Download<number> = {
  name: 'numbers',
  rows: Readable.from([1]),
  columns: [{ name: 'value', type: 'number', value: (row) => row }],
  line: (value) => ({ value }),
};

/** Downloads a table whose thread is this program. */
async function download(program: string): Promise<void> {
  const node = jest.requireActual<object>('../../../node/worker');
  await jest.isolateModulesAsync(async () => {
    jest.doMock('../../../node/worker', () => ({
      ...node,
      startWorker: () => new Worker(program, { eval: true }),
    }));
    const { parquet } = await import('../../../collector/http/parquet');
    for await (const bytes of parquet({ ...table, rows: Readable.from([1]) })) void bytes;
  });
}

const ANSWERS = "const { parentPort } = require('node:worker_threads'); parentPort";

test.each([
  ['at once', 'process.exit()'],
  ['after an answer', `${ANSWERS}.once('message', () => parentPort.postMessage(new Uint8Array(1)))`],
])(
  'a download fails if its thread only ends, %s',
  async (_, program) => {
    await expect(download(program)).rejects.toThrow('a thread ended without a result (exit code 0)');
  },
  10_000,
);
