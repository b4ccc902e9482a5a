import { EventEmitter } from 'node:events';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { LogJoin, type JoinSetup } from '../../../analysis/estimate/result/log-join';
import { statistics } from '../../../analysis/estimate/result/statistics';
import { joinInOrder, showRead } from '../../../cli/estimate/join-logs';
import { joinPart, type JoinedPart, type JoinTask } from '../../../cli/estimate/join-part';
import {
  joinParts,
  joinTasks,
  partsOf,
  readTasks,
  sumOf,
  type LogParts,
} from '../../../cli/estimate/join-parts';
import { partOfId, readPart, type ReadLog, type ReadTask } from '../../../cli/estimate/read-part';
import { InputFiles, shareRead } from '../../../cli/io/input-files';
import { main } from '../../../cli/main';
import { makeNameless } from '../../../node/files';
import { days, hours, moment, seconds } from '../../../src/model/units';
import { useCommands } from '../helpers/command';
import { answerOf, startWorker } from '../../../node/worker';
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

function cut(files: Files, setup: JoinSetup, parts: number, threads = 2): LogParts {
  const log = partsOf(...inputsOf(files), setup, threads, parts);
  if (log === null) throw new Error('the log cannot be joined in parts');
  return log;
}

/** What threads would find; null if the log must be joined in order. */
async function partsFound(log: LogParts): Promise<readonly JoinedPart[] | null> {
  const tasks = readTasks(log, makeNameless);
  try {
    const logs = await Promise.all(tasks.map(readPart));
    const isRead = (one: ReadLog | null): one is ReadLog => one !== null;
    const joined = logs.every(isRead) ? joinTasks(log, logs).map(joinPart) : [null];
    const isJoined = (one: JoinedPart | null): one is JoinedPart => one !== null;
    return joined.every(isJoined) ? joined : null;
  } finally {
    for (const { descriptor } of tasks) closeSync(descriptor);
  }
}

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
      for (const [of, threads] of [
        [1, 1],
        [2, 3],
        [3, 2],
        [7, 4],
      ] as const) {
        const parts = (await partsFound(cut(files, setup, of, threads))) ?? [];
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

test('ids that are multiples of a number are in all of its parts', () => {
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

/** Of two threads, the second begins with the second row. */
const TWO = [ROW, { ...ROW, padding: 'x' }];

test.each<readonly [string, string | Buffer]>([
  ['is no JSON', '{"source_event_id":"7"\n'],
  ['lacks a field', linesOf([{ ...ROW, time: undefined }])],
  ['has a warning', linesOf([{ ...ROW, registration: { event_level_epsilon: 99 } }])],
  ['has a mechanism that cannot be', linesOf([{ ...ROW, epsilon: 0, mechanism: { kind: 'piecewise' } }])],
  ['names a configuration', linesOf([{ ...ROW, configuration: 'view' }])],
  ['begins with a mark that only a file may begin with', linesOf(TWO).replace('\n', '\n\ufeff')],
  ['is no UTF-8', Buffer.from([0xff, 0x0a])],
  ['is longer than any', ' '.repeat(2 ** 24 + 1)],
])('a log is joined in order if a row %s', async (_, content) => {
  const name = pathOf('sources.ndjson');
  writeFileSync(name, content);
  const reports = file('reports.ndjson', '');
  const log = cut([[name], [reports]], setupOf([]), 2);
  await expect(partsFound(log)).resolves.toBeNull();
  await expect(joinParts(log)).resolves.toBeNull();
});

test('a log is joined in order if no source has the column to group by, but not if only some lack it', async () => {
  const reports = file('reports.ndjson', '');
  const joinedBy = (sources: string): ReturnType<typeof joinParts> =>
    joinParts(cut([[file('sources.ndjson', sources)], [reports]], setupOf(['arm']), 2));
  await expect(joinedBy(linesOf([ROW, ROW]))).resolves.toBeNull();
  await expect(joinedBy(linesOf([ROW, { ...ROW, time: START + 1, arm: 'x' }]))).resolves.toMatchObject({
    sources: { read: 2 },
  });
  await expect(joinedBy('')).resolves.toMatchObject({ sources: { read: 0 } });
});

test('an error says where there is no room for the temporary files', async () => {
  const log = cut([[file('sources.ndjson', linesOf([ROW]))], [file('reports.ndjson', '')]], setupOf([]), 2);
  const full = openSync('/dev/full', 'w');
  try {
    const [task] = readTasks(log, () => full);
    await expect(readPart(task as ReadTask)).rejects.toMatchObject({ code: 'ENOSPC', syscall: 'write' });
    await expect(answerOf(startWorker('join-worker'), task)).rejects.toMatchObject({ syscall: 'write' });
  } finally {
    closeSync(full);
  }
  const noRoom = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
  const node = jest.requireActual<object>('../../../node/files');
  await jest.isolateModulesAsync(async () => {
    const makeNameless = (): number => {
      throw noRoom;
    };
    jest.doMock('../../../node/files', () => ({ ...node, makeNameless }));
    const parts = await import('../../../cli/estimate/join-parts');
    await expect(parts.joinParts(log)).rejects.toThrow(`${tmpdir()}: cannot be written: ENOSPC`);
    jest.dontMock('../../../node/files');
  });
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
  const log = cut(files, setup, 5);
  const whole = await joinParts(log);
  expect(whole && statistics.write(whole)).toEqual(statistics.write(counted));
  showRead(...inputs, log);
  expect(shareRead(inputs)).toBe(1);
});

describe('threads', () => {
  /** Joins five parts of a log of one source in two other threads. */
  async function joinedIn(startWorker: (number: number) => EventEmitter): Promise<unknown> {
    const files = [[file('sources.ndjson', linesOf([ROW]))], [file('reports.ndjson', '')]] as const;
    const log = cut(files, setupOf([]), 5);
    // The system notes times in steps of a few milliseconds.
    await setTimeout(30);
    const node = jest.requireActual<object>('../../../node/worker');
    let started = 0;
    let joined: unknown;
    await jest.isolateModulesAsync(async () => {
      jest.doMock('../../../node/worker', () => ({ ...node, startWorker: () => startWorker(started++) }));
      const parts = await import('../../../cli/estimate/join-parts');
      joined = await parts.joinParts(log);
    });
    return joined;
  }

  const thread = (answer: (worker: EventEmitter, task: ReadTask | JoinTask) => void): EventEmitter => {
    const worker = new EventEmitter();
    const postMessage = (task: ReadTask | JoinTask): void => answer(worker, task);
    return Object.assign(worker, { postMessage, terminate: () => setTimeout(30) });
  };
  const working = (): EventEmitter =>
    thread((worker, task) => {
      const done = 'logs' in task ? Promise.resolve(joinPart(task)) : readPart(task);
      void done.then((result) => worker.emit('message', result));
    });
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
      return number < 3 ? working() : thread((worker) => worker.emit('message', null));
    });
    expect(found).toBeNull();
    // Until the third one could start another.
    await setTimeout(100);
    expect(numbers).toEqual([0, 1, 2, 3]);
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
  const partsIn = (path: string, mebibytes: number, threads = 2): number | undefined => {
    truncateSync(path, mebibytes * 2 ** 20);
    const [sources, reports] = [new InputFiles([path]), new InputFiles([empty])];
    return partsOf(sources, reports, setupOf([]), threads)?.of;
  };
  for (const mebibytes of [1, 10, 31]) expect(partsIn(name, mebibytes)).toBeUndefined();
  expect(partsIn(name, 100, 8)).toBe(6);
  expect(partsIn(name, 500, 1)).toBe(4);
  expect(partsIn(name, 300)).toBe(4);
  expect(partsIn(name, 2000)).toBe(16);
  expect(partsIn(table, 300)).toBeUndefined();
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
  // As many read as join.
  expect(started() - before).toBe(2 * (2 + 3));
  const [one, ...others] = ['1', '2', '3'].map((threads) => readFileSync(pathOf(threads), 'utf8'));
  expect(one).toContain('"used":13000');
  expect(others).toEqual([one, one]);
  const broken = file('broken.ndjson', rows.with(8000, { ...ROW, padding: '', time: 'noon' } as never));
  expect(await run(broken, '2')).toBe(2);
  expect(err.join('')).toContain('broken.ndjson: line 8001: time: must be milliseconds');
});
