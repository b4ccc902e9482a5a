import 'fake-indexeddb/auto';
import { seededRandomStreams } from '../../../analysis/random/sources';
import { sealingStreamOf } from '../../../extension/background/deliver/sealing-stream';
import { randomStreamsOf } from '../../../extension/background/random-streams';
import { IdbStore } from '../../../extension/store/idb-store';
import { reportIdOf } from '../../../formats/reports/event-level-report';
import type { Report } from '../../../src/model/records';
import { moment } from '../../../src/model/units';
import { StoredEngine } from '../../../transactions/stored-engine';
import { chromiumLimits } from '../../../src/model/limits';
import { conditions, sourceRegistration, START, triggerRegistration } from '../helpers/engine';

const LATE = moment(START + 10 * 365 * 86_400_000);
const SOURCES = 12;

/** What a seed decides in a browser of its own: the order of sending, and after it the delays of what is overdue. */
async function run(
  name: string,
  seed: string,
): Promise<{ ids: number[]; order: string[]; delays: string[] }> {
  const store = await IdbStore.open(name);
  const engine = new StoredEngine({ store, limits: chromiumLimits, random: seededRandomStreams(seed) });
  // All are due at the same time.
  for (let nth = 0; nth < SOURCES; nth++) {
    const time = START;
    const reportingOrigin = `https://ads${nth}.example` as never;
    await engine.register(sourceRegistration({}, 'event', { time, reportingOrigin }), conditions());
    await engine.register(triggerRegistration(undefined, { time, reportingOrigin }), conditions());
  }
  const due = await engine.due(LATE);
  await engine.spreadOverdue(LATE);
  const delayed = await store.read((tx) => tx.table('reports').latest(SOURCES));
  const order = due.map(({ body }) => reportIdOf(body));
  const ids = due.map(({ id }) => id);
  return {
    ids,
    order,
    delays: delayed.map(({ body, nextAttempt }) => `${reportIdOf(body)} ${nextAttempt}`).sort(),
  };
}

test('a seed repeats the order and the delays of sending, although reports have other numbers', async () => {
  const [first, second, other] = [await run('a', 'one'), await run('b', 'one'), await run('c', 'two')];
  expect(first.order).toHaveLength(SOURCES);
  expect(second.order).toEqual(first.order);
  expect(second.delays).toEqual(first.delays);
  expect(other.order).not.toEqual(first.order);
  // Keys of their own; each number is one of 900,000, so the first alone is equal with a probability of 1e-6 and all with 1e-71.
  expect(second.ids).not.toEqual(first.ids);
});

test('a seed draws nothing twice: registrations, sealing and calls of the W3C API have streams of their own', () => {
  const streams = randomStreamsOf(() => 'one');
  const words = (['engine', 'sealing', 'w3c'] as const).flatMap((use) =>
    [0, 1, 7].map((stream) => streams(use)(stream).uint64()),
  );
  // Equal by chance with a probability of 36 / 2 ** 64.
  expect(new Set(words).size).toBe(9);
  expect(streams('engine')(7).uint64()).toBe(seededRandomStreams('one')(7).uint64());
});

test('a report is sealed with the stream that its id names, whatever its number', () => {
  const body = (id: string) => ({ shared_info: `{"api":"attribution-reporting","report_id":"${id}"}` });
  const sealed = (id: string) => sealingStreamOf({ body: body(id) } satisfies Pick<Report, 'body'>);
  const one = sealed('00000001-0002-4000-8000-000000000000');
  expect(one).toBe(0x1_0002);
  expect(sealed('ffffffff-ffff-4fff-bfff-ffffffffffff')).toBe(2 ** 48 - 1);
});
