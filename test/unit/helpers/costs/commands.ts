import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { InputError } from '../../../../cli/io/input';
import { main } from '../../../../cli/main';
import { calls } from '../calls';
import { readAll } from '../fuzz/files';
import type { Cost } from './costs';
import { zipStream } from '../zip-stream';
import { fewShapes } from './shapes';

/** What a command reads, with a text in it. */
const contents: Readonly<Record<string, (text: string) => string>> = {
  'lines.ndjson': (text) => `${JSON.stringify({ user: text, [text]: text })}\n`,
  'table.csv': (text) => `user,time\n"${text.replaceAll('"', '""')}",1\n`,
  'document.json': (text) => text,
};

/** The others start threads, which takes far longer than `log lines`, and is no work of theirs. */
const isQuick = ([command, ...options]: readonly string[]): boolean =>
  command !== 'simulate' || options.includes('--map') || options.includes('--settings');

/** Each command, on a file that somebody else wrote. */
export function commandCosts(): Readonly<Record<string, Cost>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-costs-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const read = (name: string, bytesOf: (text: string) => string | Buffer): readonly [string, Cost] => [
    `rows of ${name}`,
    {
      run: (text) => {
        const file = path.join(folder, name);
        writeFileSync(file, bytesOf(text));
        return readAll(file).catch((error: unknown) => {
          if (!(error instanceof InputError)) throw error;
        });
      },
      shapes: fewShapes,
    },
  ];
  const ofCalls = Object.entries(contents).flatMap(([name, content]) =>
    calls(path.join(folder, name))
      .filter(isQuick)
      .map((call): readonly [string, Cost] => {
        const run = async (text: string): Promise<void> => {
          writeFileSync(path.join(folder, name), content(text));
          await silently(() => main(call));
        };
        return [`cointoss ${call.join(' ')}`, { run, shapes: fewShapes }];
      }),
  );
  return Object.fromEntries([
    read('a.csv', (text) => `user,time\n${text},1\n`),
    read('b.csv', (text) => `user,${text}\n1,1\n`),
    read('c.tsv.gz', (text) => gzipSync(`user\ttime\n${text}\t1\n`)),
    read('d.ndjson', (text) => text),
    read('e.ndjson', (text) => `${JSON.stringify({ user: text, time: [text], [text]: 1 })}\n`),
    read('f.ndjson.zst', (text) => text),
    read('g.parquet', (text) => `PAR1\u0015${text}PAR1`),
    read('i.json', (text) => `[\n${JSON.stringify({ user: text })}\n]`),
    ...ofCalls,
    read('h.zip', (text) => zipStream('a', text)),
  ]);
}

async function silently(act: () => Promise<unknown>): Promise<void> {
  const streams = [process.stdout, process.stderr].map((stream) => ({
    stream,
    write: stream.write.bind(stream),
  }));
  for (const { stream } of streams) stream.write = () => true;
  try {
    await act();
  } finally {
    for (const { stream, write } of streams) stream.write = write;
  }
}
