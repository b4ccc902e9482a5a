import { english } from '../../../words/english';
import fc from 'fast-check';
import type { Conditions } from '../../../src/engine';
import type { Registration } from '../../../src/model/incoming-registration';
import { whySentence } from '../../../extension/pages/explain/why';
import { trueState } from '../../../extension/pages/explain/true-state';
import type { LogEntry } from '../../../src/model/decision';
import type { DebugCondition } from '../../../src/model/facts';
import { defaultMeasurement, type BudgetSettings, type PrivacyUnit } from '../../../src/model/mechanisms';
import { after, days, epsilon as epsilonOf, seconds } from '../../../src/model/units';
import { defaultSettings } from '../../../formats/settings/settings';
import type { NoiseMode } from '../../../src/work';
import { responseDigits } from '../../../extension/pages/explain/response-digits';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { seededRandomSource } from '../../../analysis/random/sources';
import { randomizedResponse } from '../../../src/privacy/randomized-response';
import { replacedBy } from '../../../extension/pages/explain/replaced-by';
import type { Snapshot } from '../../../extension/pages/data/snapshot/snapshot';
import { parseSnapshot, snapshotToJson } from '../../../extension/pages/data/snapshot/snapshot-json';
import { withoutTruth } from '../../../extension/pages/data/snapshot/without-truth';
import { cellMoments, standardErrorOfCell } from '../../../extension/pages/explain/cell-moments';
import { ReportSpace, type ReportSpaceShape } from '../../../src/states/report-space';
import { SCHEMA_VERSION } from '../../../extension/store/upgrades';
import type { Store } from '../../../transactions/store';
import type { Json } from '../../../src/model/json';
import {
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';

const shapes = fc.record({
  triggerData: fc.array(
    fc.record({ windows: fc.integer({ min: 1, max: 3 }), maxReports: fc.integer({ min: 0, max: 3 }) }),
    { minLength: 1, maxLength: 3 },
  ),
  maxReports: fc.integer({ min: 0, max: 4 }),
});

describe('the moments of a cell', () => {
  it('are those of a list of all states', () => {
    fc.assert(
      fc.property(shapes, (shape: ReportSpaceShape) => {
        const space = new ReportSpace(shape);
        for (let position = 0; position < shape.triggerData.length; position++) {
          const counts: number[] = [];
          for (let state = 0n; state < space.states; state++) {
            // Any window would do.
            const window = (shape.triggerData[position]?.windows ?? 1) - 1;
            counts.push((space.decode(state)[position] ?? []).filter((other) => other === window).length);
          }
          const mean = counts.reduce((sum, value) => sum + value, 0) / counts.length;
          const square = counts.reduce((sum, value) => sum + value * value, 0) / counts.length;
          const moments = cellMoments(shape, position);
          expect(moments.mean).toBeCloseTo(mean, 10);
          expect(moments.square).toBeCloseTo(square, 10);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('give the standard error that estimates really have', () => {
    const shape: ReportSpaceShape = {
      triggerData: [
        { windows: 1, maxReports: 1 },
        { windows: 1, maxReports: 1 },
      ],
      maxReports: 1,
    };
    const space = new ReportSpace(shape);
    const [n, reporting, epsilon, rounds] = [400, 100, 1, 3000];
    const p = randomizedTriggerRate(space.states, epsilonOf(epsilon));
    const moments = cellMoments(shape, 0);
    const respond = randomizedResponse(space.states, epsilonOf(epsilon));
    const random = seededRandomSource('cells', 0);
    const truthful = (index: number): number => (index < reporting ? 1 : 0);
    const estimates = Array.from({ length: rounds }, () => {
      let received = 0;
      for (let index = 0; index < n; index++) {
        const response = respond(random);
        received +=
          response.kind === 'truthful' ? truthful(index) : (space.decode(response.state)[0]?.length ?? 0);
      }
      return (received - n * p * moments.mean) / (1 - p);
    });
    const mean = estimates.reduce((sum, value) => sum + value, 0) / rounds;
    const deviation = Math.sqrt(
      estimates.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (rounds - 1),
    );
    const expected = standardErrorOfCell(moments, p, n, reporting);
    // Five standard errors of a mean and of a standard deviation: less than one false alarm in a million each.
    expect(Math.abs(mean - reporting)).toBeLessThan((5 * expected) / Math.sqrt(rounds));
    expect(Math.abs(deviation - expected)).toBeLessThan((5 * expected) / Math.sqrt(2 * rounds));
  });
});

describe('the digits of a response', () => {
  it.each([
    [2925n, 14, '0.00242632216798340871725092725913'],
    [3n, 14, '0.00000249458200867753936'],
    [10n, 0, '1'],
    [1n, 14, '0.00000083152871910356788'],
  ])('of %d states at ε = %d', (states, epsilon, expected) => {
    const { replaced } = responseDigits(states, epsilonOf(epsilon), 30);
    expect(replaced.startsWith(expected.slice(0, 20))).toBe(true);
  });

  it('agree with doubles, and add up to one', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 6n }),
        fc.double({ min: 0, max: 14, noNaN: true }),
        (states, epsilon) => {
          const { replaced, truth, other } = responseDigits(states, epsilonOf(epsilon), 20);
          expect(Number(replaced)).toBeCloseTo(randomizedTriggerRate(states, epsilonOf(epsilon)), 12);
          expect(Number(truth) + Number(other) * Number(states - 1n)).toBeCloseTo(1, 9);
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** Everything in a store, as the pages take it. */
const snapshotOf = (store: Store): Promise<Snapshot> =>
  store.read(async (tx) => ({
    time: START,
    clockAhead: 0,
    truth: true,
    settings: { ...defaultSettings, debug: { ...defaultSettings.debug, seed: 'secret seed' } },
    tables: {
      sources: await tx.table('sources').latest(Infinity),
      reports: await tx.table('reports').latest(Infinity),
      finished: await tx.table('finished').latest(Infinity),
      spends: await tx.table('spends').latest(Infinity),
      log: await tx.table('log').latest(Infinity),
    },
  }));

const sourceHeader = {
  source_event_id: '18446744073709551615',
  filter_data: { a: ['b'] },
  max_event_level_reports: 2,
};

/** A source and three conversions; the third replaces the first. */
async function visited(noise: NoiseMode): Promise<{ store: Store; log: readonly LogEntry[] }> {
  const { engine, store } = newEngine();
  await engine.register(sourceRegistration(sourceHeader), conditions(noise));
  for (const [index, data] of [1, 2, 3].entries()) {
    const fields = { event_trigger_data: [{ trigger_data: String(data), priority: String(index) }] };
    await engine.register(
      triggerRegistration(fields, { time: after(START, seconds(index + 1)) }),
      conditions(),
    );
  }
  const log = await store.read((tx) => tx.table('log').latest(100));
  return { store, log: [...log].reverse() };
}

describe('a snapshot', () => {
  it('is read as it was written', async () => {
    const snapshot = await snapshotOf((await visited({ kind: 'off' })).store);
    const text = JSON.stringify(snapshotToJson(snapshot));
    expect(parseSnapshot(JSON.parse(text) as Json)).toEqual({ value: snapshot, errors: [], warnings: [] });
  });

  it.each([
    [{}, 'must have the field "format"'],
    [{ format: 'cointoss-snapshot', version: 99 }, `must be an integer from 1 to ${SCHEMA_VERSION}, was 99`],
    [{ tables: { sources: [{}] } }, 'must have the field "id"'],
  ])('%j is refused', (document, message) => {
    const { value, errors } = parseSnapshot(document);
    expect(value).toBeNull();
    expect(errors.map(english.mistakeText)).toContain(message);
  });

  it('without the truth is the same whether a source was noised or not, but for its reports', async () => {
    const seen = async (noise: NoiseMode): Promise<unknown> => {
      const snapshot = withoutTruth(await snapshotOf((await visited(noise)).store));
      const tables = { ...snapshot.tables, reports: [], finished: [] };
      return JSON.stringify(snapshotToJson({ ...snapshot, tables }));
    };
    const nothing = new Array<number[]>(8).fill([]);
    const truthful = await seen({ kind: 'off' });
    expect(await seen({ kind: 'forced', state: nothing })).toEqual(truthful);
    expect(await seen({ kind: 'forced', state: [[0, 1], ...nothing.slice(1)] })).toEqual(truthful);
    expect(truthful).not.toContain('secret');
  });

  describe.each([
    ['of a click', 'navigation', { max_event_level_reports: 2 }, 8],
    [
      'that add up values',
      'event',
      { trigger_specs: [{ trigger_data: [0, 1], summary_buckets: [1] }], max_event_level_reports: 2 },
      2,
    ],
  ] as const)(
    'without the truth does not tell fake reports %s from true ones',
    (_, sourceType, fields, data) => {
      const header = { ...fields, source_event_id: '5', debug_key: '1', debug_reporting: true };
      const impression = (time = START): Registration => sourceRegistration(header, sourceType, { time });
      const conversion = (value: string, seconds_: number): Registration =>
        triggerRegistration(
          {
            event_trigger_data: [{ trigger_data: value, priority: value }],
            debug_key: '2',
            debug_reporting: true,
          },
          { time: after(START, seconds(seconds_)) },
        );
      /** Two reports and another source after them; with or without debug mode's delay of reports. */
      const told = async (noise: NoiseMode, delay: boolean, unit: PrivacyUnit): Promise<string> => {
        const { engine, store } = newEngine();
        const budget: BudgetSettings = {
          ...defaultMeasurement.budget,
          unit,
          epsilon: epsilonOf(100),
          cap: 5,
        };
        const work = (mode: NoiseMode, debug: readonly DebugCondition[]): Conditions => ({
          ...conditions(mode, { budget }),
          delay,
          debug,
        });
        await engine.register(
          impression(),
          work(noise, [{ id: noise.kind === 'off' ? 'noise-off' : 'state-forced' }]),
        );
        await engine.register(conversion('0', 1), work({ kind: 'off' }, []));
        await engine.register(conversion('1', 2), work({ kind: 'off' }, []));
        await engine.register(impression(after(START, seconds(3))), work({ kind: 'off' }, []));
        const reports = (await pendingReports(store)).filter(({ kind }) => kind === 'event-level');
        const first = reports.find(({ event }) => event?.triggerData === 0);
        if (first === undefined || reports.length !== 2) throw new Error('there are not two reports');
        await engine.recordAttempt(
          first.id,
          { kind: 'answered', status: 200 },
          'lossless',
          after(START, days(9)),
        );
        const text = JSON.stringify(snapshotToJson(withoutTruth(await snapshotOf(store))));
        // Drawn at random, and so different each time, as is the order of reports that are due at the same time.
        return text
          .replace(/"report_id":"[^"]+"/g, '"report_id":""')
          .replace(/"id":[12],"(?=kind":"event-level"|report":)/g, '"id":0,"');
      };

      it.each([
        [true, 'user'],
        [false, 'user'],
        [true, 'impression'],
      ] as const)('when delays are %s and the budget is of the unit %s', async (delay, unit) => {
        const state = [[0], [0], ...new Array<number[]>(data - 2).fill([])];
        const fake = await told({ kind: 'forced', state }, delay, unit);
        expect(fake).toEqual(await told({ kind: 'off' }, delay, unit));
        expect(JSON.parse(fake)).toMatchObject({
          tables: { reports: [{ kind: 'event-level' }], finished: [{ end: 'delivered' }], log: [{}, {}] },
        });
      });
    },
  );
});

describe('the true state', () => {
  const nothing = new Array<number[]>(8).fill([]);

  it.each([
    ['truthful', { kind: 'off' }],
    ['noised to nothing', { kind: 'forced', state: nothing }],
    ['noised with reports', { kind: 'forced', state: [[2], ...nothing.slice(1)] }],
  ] as const)('of a %s source is what it would report without noise', async (_, noise) => {
    const { store, log } = await visited(noise);
    const [source] = await store.read((tx) => tx.table('sources').latest(1));
    if (source === undefined) throw new Error('there is no source');
    const triggers = log.filter(({ kind }) => kind === 'trigger');
    const { state, number } = trueState(source, triggers);
    // Conversion 1 gave way to the later ones of higher priority.
    expect(state).toEqual([[], [], [0], [0], [], [], [], []]);
    expect(number).toBe(
      new ReportSpace({
        triggerData: new Array(8).fill({ windows: 3, maxReports: 2 }),
        maxReports: 2,
      }).encode(state),
    );
  });

  it('follows from the share that counts, however many shares came before it', async () => {
    const { engine, store } = newEngine();
    const split = conditions({ kind: 'off' }, { attribution: { kind: 'linear', credit: 'split' } });
    const valued = {
      filter_data: { a: ['x'] },
      trigger_specs: [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [1, 10, 50] }],
      max_event_level_reports: 3,
    };
    for (const time of [START, after(START, seconds(1))])
      await engine.register(sourceRegistration(valued, 'navigation', { time }), split);
    const other = { trigger_data: '0', value: 200, filters: { a: ['y'] } };
    const fields = { event_trigger_data: [...Array<Json>(11).fill(other), { trigger_data: '0', value: 42 }] };
    const entry = await engine.register(
      triggerRegistration(fields, { time: after(START, seconds(2)) }),
      split,
    );
    expect(entry).toMatchObject({ decision: { shares: [{ values: [21], from: 11 }, { from: 11 }] } });
    const [source] = await store.read((tx) => tx.table('sources').latest(1));
    if (source === undefined) throw new Error('there is no source');
    const log = await store.read((tx) => tx.table('log').latest(100));
    const { state } = trueState(
      source,
      log.filter(({ kind }) => kind === 'trigger'),
    );
    expect(state.flat()).toHaveLength(2);
    expect(whySentence(entry, true)).toContain('21 and others for source');
  });
});

describe('a replaced report', () => {
  it('is linked to the one that took its place', async () => {
    const { store, log } = await visited({ kind: 'off' });
    const [finished] = await store.read((tx) => tx.table('finished').latest(1));
    const last = log.at(-1);
    if (finished === undefined || last?.kind !== 'trigger' || last.decision.kind !== 'attributed')
      throw new Error('nothing was replaced');
    expect(replacedBy(finished, log)).toBe(last.decision.reports[0]);
    expect(replacedBy({ ...finished, end: 'delivered' }, log)).toBeNull();
    expect(replacedBy(finished, log.slice(0, -1))).toBeNull();
  });
});
