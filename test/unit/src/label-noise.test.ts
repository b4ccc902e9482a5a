import type { CheckValues } from '../../../src/model/checks';
import type { JsonObject } from '../../../src/model/json';
import { closingTime, labelNoiseFor, valuesOfStates } from '../../../src/attribution/label-noise';
import type { StoredEngine } from '../../../transactions/stored-engine';
import { defaultMeasurement, type LabelNoise } from '../../../src/model/mechanisms';
import type { Source } from '../../../src/model/records';
import { after, days, minutes, seconds, type Moment, type Site } from '../../../src/model/units';
import { probabilities } from '../../../src/privacy/finite-distribution';
import { rrOnBins } from '../../../src/privacy/rr-on-bins';
import { rrWithPrior } from '../../../src/privacy/rr-with-prior';
import { unbiasedRandomizer } from '../../../src/privacy/unbiased-randomizer';
import { countStates, ReportSpace } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import type { Store } from '../../../transactions/store';
import {
  conditions,
  newEngine,
  outcomeOf,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { asNumber } from '../helpers/mechanisms';
import { accepted, parsedSource } from '../helpers/parsing';

/** One trigger data, one window of 2 days, values 0, 1, 5 and 20. */
const valued: JsonObject = {
  trigger_specs: [
    {
      trigger_data: [0],
      summary_operator: 'value_sum',
      summary_buckets: [1, 5, 20],
      event_report_windows: { end_times: [172_800] },
    },
  ],
  max_event_level_reports: 3,
  event_level_epsilon: 1,
};
/** ARA's event source: one window, two trigger data, one report. */
const plain: JsonObject = { event_level_epsilon: 1 };

const values = [0, 1, 5, 20];
const prior = [0.4, 0.3, 0.2, 0.1];
const onBins: LabelNoise = { kind: 'rr-on-bins', values, prior, loss: 'squared' };
const unbiased: LabelNoise = { kind: 'unbiased', values, prior };
const overStates: LabelNoise = { kind: 'rr-with-prior', prior: [0.4, 0.35, 0.25] };

const END = after(START, days(2));
const later = (count: number): Moment => after(START, seconds(count));

interface Trial {
  readonly engine: StoredEngine;
  readonly store: Store;
  readonly convert: (value: number, time?: Moment) => Promise<string>;
}

/** An engine with one source under a mechanism, and a way to convert it. */
async function trial(
  labelNoise: LabelNoise,
  source: JsonObject,
  { seed = 'test', delay = true }: { readonly seed?: string; readonly delay?: boolean } = {},
): Promise<Trial> {
  const { engine, store } = newEngine({ seed });
  const settings = { ...conditions({ kind: 'on' }, { labelNoise }), delay };
  await engine.register(sourceRegistration(source, 'event'), settings);
  return {
    engine,
    store,
    convert: async (value, time = later(1)) => {
      const trigger = { event_trigger_data: [{ trigger_data: source === plain ? '1' : '0', value }] };
      return outcomeOf(await engine.register(triggerRegistration(trigger, { time }), settings));
    },
  };
}

const sources = (store: Store): Promise<Source[]> => store.read((tx) => tx.table('sources').latest(10));
const bodies = async (engine: StoredEngine, now: Moment): Promise<JsonObject[]> =>
  (await engine.due(now)).map(({ body }) => body as JsonObject);

describe('which sources a mechanism is for', () => {
  const source = (fields: JsonObject): Pick<Source, 'registration' | 'time' | 'states'> => {
    const registration = accepted(parsedSource(fields, 'event'));
    return { registration, time: START, states: countStates(shapeOf(registration)) };
  };

  test.each<[string, Exclude<LabelNoise, { kind: 'rr' }>, JsonObject, CheckValues['mechanism']]>([
    ['values that are the buckets', onBins, valued, { applies: 'yes', mechanism: 'rr-on-bins' }],
    ['values that are the buckets', unbiased, valued, { applies: 'yes', mechanism: 'unbiased' }],
    ['a prior for each state', overStates, plain, { applies: 'yes', mechanism: 'rr-with-prior' }],
    [
      'two windows',
      overStates,
      { event_report_windows: { end_times: [3600, 7200] } },
      { applies: 'windows' },
    ],
    [
      'other states than the prior',
      { kind: 'rr-with-prior', prior: [0.5, 0.5] },
      plain,
      { applies: 'states', states: '3', wanted: 2 },
    ],
    [
      'other values',
      { ...unbiased, values: [0, 1, 5, 21] },
      valued,
      { applies: 'values', values: '0, 1, 5, 20', wanted: '0, 1, 5, 21' },
    ],
    ['several trigger data', onBins, plain, { applies: 'data', wanted: '0, 1, 5, 20' }],
    ['ε = 0', onBins, { ...valued, event_level_epsilon: 0 }, { applies: 'epsilon' }],
  ])('%s under %j', (_title, noise, fields, why) => {
    const found = labelNoiseFor(noise, source(fields));
    expect(found).toEqual({ noise: why.applies === 'yes' ? noise : null, why });
  });

  test('the values are in the order of the states', () => {
    const { registration } = source(valued);
    const space = new ReportSpace(shapeOf(registration));
    expect(valuesOfStates({ registration })).toEqual(values);
    values.forEach((_, index) => expect(space.decode(BigInt(index))).toEqual([Array<number>(index).fill(0)]));
  });

  test('the truth is complete at the end of the one window', () => {
    expect(closingTime(source(valued))).toBe(END);
    expect(closingTime(source(plain))).toBe(after(START, days(30)));
    expect(closingTime(source({ event_report_windows: { end_times: [3600, 7200] } }))).toBeNull();
  });
});

describe.each([
  ['rr-on-bins', onBins, valued],
  ['unbiased', unbiased, valued],
  ['rr-with-prior', overStates, plain],
] as const)('under %s', (kind, noise, source) => {
  const end = source === plain ? after(START, days(30)) : END;

  test('nothing can leave before the window closes, with the delay off or in a hurry', async () => {
    const { engine, store, convert } = await trial(noise, source, { delay: false });
    expect(await convert(20)).toBe('attributed');
    expect(await pendingReports(store)).toEqual([]);
    expect(await engine.nextDue()).toBe(end);
    expect(await engine.due(after(end, seconds(0)))).not.toContainEqual(
      expect.objectContaining({ event: { held: true } }),
    );
  });

  test('the truth is replaced when the window closes, once', async () => {
    const { engine, store, convert } = await trial(noise, source);
    await convert(20);
    const held = await store.read((tx) => tx.table('reports').latest(10));
    expect(held.length).toBeGreaterThan(0);
    expect(held.every(({ event }) => event?.held)).toBe(true);

    const first = await bodies(engine, end);
    expect(await bodies(engine, end)).toHaveLength(first.length);
    const finished = await store.read((tx) => tx.table('finished').latest(10));
    expect(finished.map(({ report: { id }, end: how }) => [id, how])).toEqual(
      expect.arrayContaining(held.map(({ id }) => [id, 'randomized'])),
    );
    expect(await store.read((tx) => tx.table('undrawn').count())).toBe(0);
    expect((await sources(store))[0]?.noise).toMatchObject({ kind: 'drawn', mechanism: kind });
    expect(await convert(1, after(START, minutes(5)))).toBe('trigger-event-noise');
  });

  test('what was drawn early leaves no room for more', async () => {
    const { engine, convert } = await trial(noise, source);
    await engine.hurry(later(10));
    expect(await convert(20, later(20))).toBe('trigger-event-noise');
  });

  test('an output is drawn for a source that is gone', async () => {
    // The seeds differ only in noise: without conversions an output other than none shows that it was drawn.
    let outputs = 0;
    for (let seed = 0; seed < 60; seed++) {
      const { engine, store } = await trial(noise, source, { seed: `gone ${seed}` });
      await store.write((tx) => tx.table('sources').clear());
      outputs += (await engine.due(end)).length;
    }
    expect(outputs).toBeGreaterThan(0);
  });

  test('the reports say the window that closed, and the rate of the mechanism', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { engine } = await trial(noise, source, { seed: `body ${seed}` });
      for (const body of await bodies(engine, end)) {
        expect(body['scheduled_report_time']).toBe(String(end / 1000));
        expect(Object.keys(body).includes('noisy_value')).toBe(kind !== 'rr-with-prior');
        expect(Object.keys(body).includes('randomized_trigger_rate')).toBe(kind !== 'unbiased');
        expect(body).not.toHaveProperty('trigger_summary_bucket');
      }
    }
  });
});

/** How often each output occurred over many seeds, for a number of conversions of one value each. */
async function outputs(
  noise: LabelNoise,
  source: JsonObject,
  value: number | null,
  draws: number,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < draws; seed++) {
    const { engine, convert } = await trial(noise, source, { seed: `draw ${seed}` });
    if (value !== null) await convert(value);
    const found = await bodies(engine, after(START, days(30)));
    const key =
      found
        .map((body) => JSON.stringify(body['noisy_value'] ?? body['trigger_data']).replaceAll('"', ''))
        .join() || 'nothing';
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** By Hoeffding a share is further than this from its probability with probability 1e-7 at most. */
const tolerance = (draws: number): number => Math.sqrt(Math.log(2 / 1e-7) / (2 * draws));

test.each<[string, LabelNoise, JsonObject, number | null, number]>([
  ['rr-on-bins without conversions', onBins, valued, null, 0],
  ['rr-on-bins with the value 7', onBins, valued, 7, 2],
  ['unbiased with the value 20', unbiased, valued, 20, 3],
  ['rr-with-prior without conversions', overStates, plain, null, 0],
  ['rr-with-prior with a conversion', overStates, plain, 1, 1],
])('%s gives what the mechanism gives', async (_title, noise, source, value, truth) => {
  const draws = 300;
  const counts = await outputs(noise, source, value, draws);
  for (const [output, probability] of expectedOutputs(noise, truth))
    expect(Math.abs((counts.get(output) ?? 0) / draws - probability)).toBeLessThan(tolerance(draws));
});

function expectedOutputs(noise: LabelNoise, truth: number): readonly (readonly [string, number])[] {
  const chances = (mechanism: {
    weights: (input: number) => Parameters<typeof probabilities>[0];
  }): number[] => probabilities(mechanism.weights(truth)).map(asNumber);
  switch (noise.kind) {
    case 'rr':
      return [];
    case 'rr-with-prior': {
      const mechanism = rrWithPrior(noise.prior, 1);
      const names = ['nothing', '1', '0'];
      // The states of ARA's event source: nothing, then one report with trigger data 1 or 0, as the space numbers them.
      const space = new ReportSpace(shapeOf(accepted(parsedSource(plain, 'event'))));
      const nameOf = (state: number): string => {
        const [zero, one] = space.decode(BigInt(state));
        return zero?.length === 1 ? '0' : one?.length === 1 ? '1' : 'nothing';
      };
      const found = chances(mechanism).map(
        (chance, index) => [nameOf(mechanism.outputs[index] ?? 0), chance] as const,
      );
      expect(names).toEqual(expect.arrayContaining(found.map(([name]) => name)));
      return found;
    }
    case 'rr-on-bins': {
      const mechanism = rrOnBins(noise.values, noise.prior, noise.loss, 1);
      return chances(mechanism).map((chance, index) => [String(mechanism.outputs[index]), chance]);
    }
    case 'unbiased': {
      const mechanism = unbiasedRandomizer(noise.values, noise.prior, 1);
      return chances(mechanism).map((chance, index) => [
        String(mechanism.outputs[index]?.toNumber()),
        chance,
      ]);
    }
  }
}

test('reports that were randomized while the browser was closed are spread like others', async () => {
  const { engine, store, convert } = await trial(onBins, valued);
  await convert(20);
  const opened = after(END, days(1));
  await engine.spreadOverdue(opened, minutes(1));
  const [report] = await pendingReports(store);
  expect(report?.nextAttempt).toBeGreaterThan(opened);
  expect(report?.nextAttempt).toBeLessThanOrEqual(after(opened, minutes(1)));
});

test('with the noise off the truth is reported', async () => {
  const { engine, store } = newEngine();
  await engine.register(
    sourceRegistration(valued, 'event'),
    conditions({ kind: 'off' }, { labelNoise: onBins }),
  );
  await engine.register(
    triggerRegistration({ event_trigger_data: [{ trigger_data: '0', value: 6 }] }, { time: later(1) }),
    conditions(),
  );
  expect(
    (await pendingReports(store)).map(({ body }) => (body as JsonObject)['trigger_summary_bucket']),
  ).toEqual([
    [1, 4],
    [5, 19],
  ]);
});

test('the budget enters the noise of a source whose output is drawn later', async () => {
  const { store } = await trial(onBins, valued);
  expect(await store.read((tx) => tx.table('spends').latest(10))).toMatchObject([
    { purpose: 'report', epsilon: 1 },
  ]);
  expect(defaultMeasurement.labelNoise.kind).toBe('rr');
  expect((await sources(store))[0]?.registration.destinations).toEqual(['https://shop.example' as Site]);
});
