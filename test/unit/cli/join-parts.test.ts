import { EventEmitter } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { LogJoin } from '../../../analysis/estimate/result/log-join';
import { statistics } from '../../../analysis/estimate/result/statistics';
import { joinInOrder, showRead } from '../../../cli/estimate/join-logs';
import { joinPart, type JoinedPart, type JoinSetup, type JoinTask } from '../../../cli/estimate/join-part';
import { joinParts, sumOf, tasksOf } from '../../../cli/estimate/join-parts';
import { linesOfPart, partOfId } from '../../../cli/estimate/log-part';
import { InputFiles, shareRead } from '../../../cli/io/input-files';
import { main } from '../../../cli/main';
import { days, hours, moment, seconds } from '../../../src/model/units';
import { useCommands } from '../helpers/command';
import { countThreads } from '../helpers/started-threads';

const { err, file, pathOf } = useCommands();
const started = countThreads();

const START = Date.UTC(2026, 0, 1);
const [ADTECH, OTHER] = ['https://ads.example', 'https://other.example'];
const SHOP = 'https://shop.example';
const SHOPS = [SHOP, 'https://www.shop.example', 'https://store.example'];

/** Few ids, so that many sources have one of another, and some that fill 64 bits. */
const id = fc.constantFrom(
  '0',
  '1',
  '007',
  '7',
  '12',
  '2147483647',
  '9007199254740993',
  '18446744073709551615',
);
const origin = fc.constantFrom(...Array<string>(9).fill(ADTECH), OTHER);
const shop = fc.constantFrom(...Array<string>(9).fill(SHOP), ...SHOPS);
const type = fc.constantFrom(...Array<string>(9).fill('navigation'), 'event');
const dayOf = fc.constantFrom(0, 0, 1, 11, 30);

const source = fc.record({
  source_event_id: id,
  reporting_origin: origin,
  destination: fc.oneof(shop, fc.constant(SHOPS.slice(1))),
  source_type: type,
  time: dayOf.map((day) => START + days(day)),
  registration: fc.constantFrom({}, {}, { trigger_data: [0, 1], max_event_level_reports: 2 }),
  // Without a mechanism, sources of 0 are heartbeats.
  epsilon: fc.constantFrom(14, 14, 0),
  arm: fc.constantFrom('exposed', 'holdout'),
});

const uuid = fc
  .integer({ min: 0, max: 30 })
  .map((last) => `01234567-89ab-4cde-8f01-${String(last).padStart(12, '0')}`);

const report = fc
  .record({
    id,
    origin,
    shop,
    type,
    uuid: fc.oneof(uuid, fc.constant('report 1')),
    day: dayOf,
    due: fc.constantFrom(2, 2, 7, 30, 3),
    late: fc.constantFrom(null, 60_000, hours(1), hours(5)),
    triggerData: fc.constantFrom('0', '1', '5', '9'),
    isWrapped: fc.boolean(),
  })
  .map((sent) => {
    const due = START + days(sent.day) + days(sent.due);
    const payload = {
      attribution_destination: sent.shop,
      randomized_trigger_rate: sent.id === '1' ? 0.5 : 0.0024263,
      report_id: sent.uuid,
      scheduled_report_time: String(due / 1000),
      source_event_id: sent.id,
      source_type: sent.type,
      trigger_data: sent.triggerData,
    };
    const url = `${sent.origin}/.well-known/attribution-reporting/report-event-attribution`;
    if (sent.isWrapped) return { report_time: String(due), report_url: url, payload };
    return {
      ...payload,
      kind: 'event-level',
      reporting_origin: sent.origin,
      ...(sent.late === null ? {} : { received_time: new Date(due + sent.late).toISOString() }),
    };
  });

const otherKind = fc.constantFrom(
  { kind: 'verbose-debug', data: [{ body: { source_event_id: '12' } }], reporting_origin: ADTECH },
  { kind: 'aggregatable', reporting_origin: ADTECH },
  { kind: 'one', reporting_origin: ADTECH },
  { kind: 'another', reporting_origin: ADTECH },
);

const log = fc.record({
  sources: fc.array(source, { minLength: 1, maxLength: 40 }),
  reports: fc.array(fc.oneof({ weight: 9, arbitrary: report }, { weight: 1, arbitrary: otherKind }), {
    maxLength: 60,
  }),
  groupBy: fc.constantFrom([], ['arm'], ['destination', 'arm']),
  asOf: fc.constantFrom(null, START + days(20)),
  space: fc.constantFrom('', ' '),
});

/** As programs write lines. */
const linesOf = (rows: readonly object[], space = ''): string =>
  rows.map((row) => `${JSON.stringify(row).replaceAll(/":(?=["{[\d])/g, `":${space}`)}\n`).join('');

const setupOf = (groupBy: readonly string[], asOf: number | null = null): JoinSetup => ({
  groupBy,
  joining: { skew: seconds(60), completeUntil: asOf === null ? null : moment(asOf) },
  asOf: asOf === null ? null : new Date(asOf).toISOString(),
});

const ONE = { likelihood: false, threads: 1 };

/** The files of the sources, and those of the reports. */
type Files = readonly [sources: readonly string[], reports: readonly string[]];

const inputsOf = (files: Files): readonly [InputFiles, InputFiles] => [
  new InputFiles(files[0]),
  new InputFiles(files[1]),
];

function tasksFor(files: Files, setup: JoinSetup, parts: number): readonly JoinTask[] {
  const tasks = tasksOf(...inputsOf(files), setup, 2, parts);
  if (tasks === null) throw new Error('the log cannot be joined in parts');
  return tasks;
}

const partsFound = (files: Files, setup: JoinSetup, parts: number): Promise<readonly (JoinedPart | null)[]> =>
  Promise.all(tasksFor(files, setup, parts).map(joinPart));

const isJoined = (part: JoinedPart | null): part is JoinedPart => part !== null;

/** As programs write texts. */
interface TextForm {
  readonly begin: string;
  readonly between: string;
  readonly end: string;
}

const form = fc.record<TextForm>({
  begin: fc.constantFrom('', '\ufeff'),
  between: fc.constantFrom('\n', '\r\n', '\n \n'),
  end: fc.constantFrom('', '\n'),
});

test('the sum of the parts of a log is that of the whole, to the last byte, into however many it is cut', async () => {
  let joined = 0;
  const formed = (rows: readonly object[], space: string, { begin, between, end }: TextForm): string =>
    begin + linesOf(rows, space).trimEnd().replaceAll('\n', between) + end;
  await fc.assert(
    fc.asyncProperty(log, form, async ({ sources, reports, groupBy, asOf, space }, form) => {
      const files = [
        [
          file('1.ndjson', formed(sources.slice(0, 10), space, form)),
          file('2.ndjson', formed(sources.slice(10), space, form)),
        ],
        [file('reports.ndjson', formed(reports, space, form))],
      ] as const;
      const setup = setupOf(groupBy, asOf);
      const { counted } = await joinInOrder(...inputsOf(files), setup, ONE);
      const { read, duplicate, unknown_source: unknown } = counted.reports;
      for (const of of [1, 2, 3, 7]) {
        const parts = (await partsFound(files, setup, of)).filter(isJoined);
        expect(parts).toHaveLength(of);
        const whole = sumOf(parts);
        if (2 * unknown > read - duplicate) {
          expect(whole).toBeNull();
          continue;
        }
        joined += 1;
        expect(JSON.stringify(whole && statistics.write(whole))).toBe(
          JSON.stringify(statistics.write(counted)),
        );
        // Threads end in any order.
        expect(JSON.stringify(sumOf(parts.toReversed()))).toBe(JSON.stringify(whole));
      }
    }),
    { numRuns: 100, seed: 53 },
  );
  expect(joined).toBeGreaterThan(100);
});

function textOf(text: string, chunk: number, part: number, of: number): string {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
    Buffer.from(bytes.subarray(index * chunk, (index + 1) * chunk)),
  );
  return Buffer.concat([...linesOfPart(chunks, { part, of })].map((some) => Buffer.from(some))).toString();
}

test('a part has the lines with its ids, as they are written and in whatever chunks they are read', () => {
  const number = fc.bigInt(0n, 2n ** 64n - 1n);
  const line = fc
    .tuple(number, fc.constantFrom('', '00'), fc.constantFrom('', ' '))
    .map(([id, zeros, space]) => ({
      id,
      text: `{"a":"é","source_event_id":${space}"${zeros}${id}","b":"9"}`,
    }));
  const other = fc.constantFrom('', ' ', '{"kind":"x"}').map((text) => ({ id: null, text }));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(line, other), { maxLength: 8 }),
      fc.constantFrom('', '\n'),
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(1, 2, 7),
      (lines, end, chunk, of) => {
        const text = lines.map((one) => one.text).join('\n') + end;
        for (let part = 0; part < of; part++) {
          const own = lines.filter(({ id }) => (id === null ? 0 : partOfId(id, of)) === part);
          const found = textOf(text, chunk, part, of).split('\n');
          const isText = (one: string): boolean => one !== '';
          expect(found.filter(isText)).toEqual(own.map((one) => one.text).filter(isText));
        }
      },
    ),
  );
  // Ids that are multiples of a number are in all of its parts.
  const parts = Array.from({ length: 70 }, (_, index) => partOfId(BigInt(index) * 7n, 7));
  expect(new Set(parts).size).toBe(7);
});

const ROW = {
  source_event_id: '7',
  reporting_origin: ADTECH,
  destination: SHOPS[0],
  source_type: 'event',
  time: START,
  registration: {},
};

const HIDING = Array.from({ length: 8 }, (_, index) => ({ ...ROW, source_event_id: String(index) }));

/** Two rows, each of which is the first of its part. */
const APART = [
  '0',
  HIDING.map((row) => row.source_event_id).find((id) => partOfId(BigInt(id), 2) !== partOfId(0n, 2)),
].map((id) => ({ ...ROW, source_event_id: id }));

test.each<readonly [string, string | Buffer]>([
  ['is no JSON', '{"source_event_id":"7"\n'],
  ['lacks a field', linesOf([{ ...ROW, time: undefined }])],
  ['has a warning', linesOf([{ ...ROW, registration: { event_level_epsilon: 99 } }])],
  ['has a mechanism that cannot be', linesOf([{ ...ROW, epsilon: 0, mechanism: { kind: 'piecewise' } }])],
  ['names a configuration', linesOf([{ ...ROW, configuration: 'view' }])],
  ['hides its id', linesOf(HIDING).replaceAll('source_event_id', String.raw`source_event\u005fid`)],
  [
    'hides its id behind another',
    linesOf([{ campaign: '"source_event_id":"8"', ...ROW }]).replaceAll('\\', ''),
  ],
  ['begins with a mark that only a file may begin with', linesOf(APART).replace('\n', '\n\ufeff')],
  ['is no UTF-8', Buffer.from([0xff, 0x0a])],
  ['is longer than any', ' '.repeat(2 ** 21)],
])('a log is joined in order if a row %s', async (_, content) => {
  const name = pathOf('sources.ndjson');
  writeFileSync(name, content);
  const reports = file('reports.ndjson', '');
  const parts = await partsFound([[name], [reports]], setupOf([]), 2);
  expect(parts).toContain(null);
});

test('threads join the parts of a log, and say how far they are', async () => {
  const rows = (count: number): readonly object[] =>
    Array.from({ length: count }, (_, index) => ({
      ...ROW,
      source_event_id: String(index),
      arm: `${index % 3}`,
    }));
  const files = [[file('sources.ndjson', linesOf(rows(9000)))], [file('reports.ndjson', '')]] as const;
  const setup = setupOf(['arm']);
  const inputs = inputsOf(files);
  const { counted } = await joinInOrder(...inputs, setup, ONE);
  const tasks = tasksFor(files, setup, 5);
  const [task] = tasks;
  const whole = await joinParts(tasks, 2);
  expect(whole && statistics.write(whole)).toEqual(statistics.write(counted));
  if (task !== undefined) showRead(...inputs, task);
  expect(shareRead(inputs)).toBe(1);
});

describe('threads', () => {
  /** Joins five parts of a log of one source in two other threads. */
  async function joinedIn(startWorker: (number: number) => EventEmitter): Promise<unknown> {
    const files = [[file('sources.ndjson', linesOf([ROW]))], [file('reports.ndjson', '')]] as const;
    const tasks = tasksFor(files, setupOf([]), 5);
    // The system notes times in steps of a few milliseconds.
    await setTimeout(30);
    const node = jest.requireActual<object>('../../../node/worker');
    let started = 0;
    let joined: unknown;
    await jest.isolateModulesAsync(async () => {
      jest.doMock('../../../node/worker', () => ({ ...node, startWorker: () => startWorker(started++) }));
      const parts = await import('../../../cli/estimate/join-parts');
      joined = await parts.joinParts(tasks, 2);
    });
    return joined;
  }

  const thread = (answer: (worker: EventEmitter, task: JoinTask) => void): EventEmitter => {
    const worker = new EventEmitter();
    const postMessage = (task: JoinTask): void => answer(worker, task);
    return Object.assign(worker, { postMessage, terminate: () => setTimeout(30) });
  };
  const working = (): EventEmitter =>
    thread((worker, task) => void joinPart(task).then((part) => worker.emit('message', part)));
  const silent = (): EventEmitter => thread(() => undefined);

  test('that only end give an error', async () => {
    await expect(joinedIn(() => new Worker('process.exit()', { eval: true }))).rejects.toThrow(
      'a thread ended without a result (exit code 0)',
    );
  });

  test('whose result cannot be read give an error', async () => {
    const unreadable = thread((worker) => worker.emit('messageerror', new Error('no such class')));
    await expect(joinedIn((number) => (number === 0 ? silent() : unreadable))).rejects.toThrow(
      'a thread gave a result that cannot be read: no such class',
    );
  });

  test('end when one of them has found that the log must be joined in order', async () => {
    const numbers: number[] = [];
    const found = await joinedIn((number) => {
      numbers.push(number);
      return number === 0 ? working() : thread((worker) => worker.emit('message', null));
    });
    expect(found).toBeNull();
    // Until the first one could start another.
    await setTimeout(100);
    expect(numbers).toEqual([0, 1]);
  });

  test('join nothing if a file changed between them', async () => {
    await expect(joinedIn(working)).resolves.toMatchObject({ sources: { read: 1 } });
    const changed = joinedIn((number) => {
      if (number === 4) file('sources.ndjson', linesOf([{ ...ROW, time: START + 1 }]));
      return working();
    });
    await expect(changed).resolves.toBeNull();
  });
});

test('kinds that nobody knows are counted together', () => {
  const join = new LogJoin([], setupOf([]).joining);
  for (let kind = 0; kind < 1000; kind++) join.addReport({ kind: `kind ${kind}` });
  join.addReport({ kind: 'aggregatable' });
  expect(join.statistics(null).reports.other_kinds).toEqual({ aggregatable: 1, other: 1000 });
});

test('only long logs are joined in parts, whose number grows with the log', () => {
  const name = file('sources.ndjson', linesOf([ROW]));
  const empty = file('reports.ndjson', '');
  const table = file('sources.csv', 'source_event_id,time\n7,0\n');
  const partsOf = (path: string, mebibytes: number, threads = 2): number | undefined => {
    truncateSync(path, mebibytes * 2 ** 20);
    const [sources, reports] = [new InputFiles([path]), new InputFiles([empty])];
    return tasksOf(sources, reports, setupOf([]), threads)?.length;
  };
  for (const mebibytes of [1, 10, 31]) expect(partsOf(name, mebibytes)).toBeUndefined();
  expect(partsOf(name, 100, 8)).toBe(6);
  expect(partsOf(name, 500, 1)).toBe(2);
  expect(partsOf(name, 300)).toBe(2);
  expect(partsOf(name, 2000)).toBe(6);
  expect(partsOf(table, 300)).toBeUndefined();
});

test('the command writes the same whatever the number of threads, and names the line of a mistake in a long log', async () => {
  const rows = Array.from({ length: 13_000 }, (_, index) => ({
    ...ROW,
    source_event_id: String(index),
    arm: `${index % 3}`,
    padding: 'x'.repeat(4000),
  }));
  const reports = file('reports.ndjson', [
    {
      kind: 'event-level',
      reporting_origin: ADTECH,
      attribution_destination: SHOP,
      source_event_id: '7',
      source_type: 'event',
      trigger_data: '1',
      report_id: 'report 1',
      randomized_trigger_rate: 0.0000025,
      scheduled_report_time: String((START + days(30)) / 1000),
    },
  ]);
  const before = started();
  const run = (sources: string, threads: string): Promise<number> => {
    const files = ['--sources', sources, '--reports', reports, '--statistics-output', pathOf(threads)];
    return main(['estimate', ...files, '--group-by', 'arm', '--threads', threads]);
  };
  const whole = file('sources.ndjson', rows);
  for (const threads of ['1', '2', '3']) expect(await run(whole, threads)).toBe(0);
  expect(started() - before).toBe(2 + 3);
  const [one, ...others] = ['1', '2', '3'].map((threads) => readFileSync(pathOf(threads), 'utf8'));
  expect(one).toContain('"used":13000');
  expect(others).toEqual([one, one]);
  const broken = file('broken.ndjson', rows.with(8000, { ...ROW, padding: '', time: 'noon' } as never));
  expect(await run(broken, '2')).toBe(2);
  expect(err.join('')).toContain('broken.ndjson: line 8001: time: must be milliseconds');
});
