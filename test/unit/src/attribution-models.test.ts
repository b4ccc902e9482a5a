import fc from 'fast-check';
import type { JsonObject } from '../../../src/model/json';
import { clickChoice } from '../../../src/attribution/credit';
import {
  exponentialMechanismProbabilities,
  permuteAndFlipProbabilities,
} from '../../../analysis/credits/click-odds';
import { splitValue, touchWeights, type MultiTouchModel } from '../../../src/attribution/touch-weights';
import type { RegistrationEntry } from '../../../src/engine';
import type { Registration } from '../../../src/model/incoming-registration';
import {
  defaultMeasurement,
  type AttributionModel,
  type LimitCounting,
  type PrivateModel,
} from '../../../src/model/mechanisms';
import { after, days, epsilon, hours, moment, seconds, type Moment } from '../../../src/model/units';
import type { NoiseMode } from '../../../src/work';
import { weightedIndex } from '../../../src/privacy/finite-distribution';
import { Rational } from '../../../src/privacy/rational';
import { rationalBounds } from '../../../src/privacy/real-bounds';
import {
  conditions,
  newEngine,
  outcomeOf,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { isLong } from '../helpers/is-long';
import { asNumber, fits } from '../helpers/mechanisms';
import { chiSquare, chiSquareThreshold } from '../helpers/random';

const OFF: NoiseMode = { kind: 'off' };

/** Sources registered one second after the other with these event ids and fields, then one conversion; which ids got a report. */
async function credited(
  attribution: AttributionModel,
  sources: readonly JsonObject[],
  trigger: JsonObject = { event_trigger_data: [{}] },
  {
    seed = 'test',
    noise = OFF,
    limits = 'private',
  }: { readonly seed?: string; readonly noise?: NoiseMode; readonly limits?: LimitCounting } = {},
): Promise<{
  readonly entry: RegistrationEntry;
  readonly ids: readonly string[];
  readonly left: number;
  readonly stored: number;
}> {
  const { engine, store } = newEngine({ seed });
  const settings = conditions(noise, { attribution, limits });
  const registrations: Registration[] = sources.map((fields, index) =>
    sourceRegistration({ source_event_id: String(index), ...fields }, 'navigation', { time: at(index) }),
  );
  for (const registration of registrations) await engine.register(registration, settings);
  const entry = await engine.register(triggerRegistration(trigger, { time: at(sources.length) }), settings);
  return store.read(async (tx) => ({
    entry,
    ids: (await tx.table('reports').upTo('nextAttempt', Infinity)).map(
      ({ body }) => (body as JsonObject)['source_event_id'] as string,
    ),
    left: (await tx.table('sources').latest(Infinity)).filter(({ forgotten }) => forgotten === undefined)
      .length,
    stored: await tx.table('sources').count(),
  }));
}

const at = (index: number): Moment => after(START, seconds(index));

const plain: readonly JsonObject[] = [{}, { priority: '5' }, {}];

test.each<[AttributionModel['kind'], AttributionModel, string]>([
  ['priority', { kind: 'priority' }, '1'],
  ['last-touch', { kind: 'last-touch' }, '2'],
  ['first-touch', { kind: 'first-touch' }, '0'],
])('%s credits one source and forgets the others', async (_name, model, id) => {
  expect(await credited(model, plain)).toMatchObject({ ids: [id], left: 1, stored: 3 });
  const limits = 'specification';
  expect(await credited(model, plain, undefined, { limits })).toMatchObject({
    ids: [id],
    left: 1,
    stored: 1,
  });
});

const shared: readonly AttributionModel[] = [
  { kind: 'linear', credit: 'draw' },
  { kind: 'position-based', credit: 'draw' },
  { kind: 'time-decay', credit: 'draw', halfLife: 1 },
];

const privately = (kind: PrivateModel['kind'], more: Partial<PrivateModel> = {}): PrivateModel => ({
  kind,
  epsilon: epsilon(1),
  score: 'linear',
  unit: 'seconds',
  tau: 1,
  gap: null,
  ...more,
});

test.each([...shared, privately('exponential'), privately('permute-and-flip')])(
  '$kind credits one source, and the others stay eligible',
  async (model) => {
    const { ids, left } = await credited(model, plain);
    expect(ids).toHaveLength(1);
    expect(left).toBe(3);
  },
);

test.each([
  ...shared,
  privately('exponential'),
  { kind: 'last-touch' } as const,
  { kind: 'first-touch' } as const,
])('$kind chooses among the sources whose filters match', async (model) => {
  const sources = [{}, { filter_data: { shade: ['red'] } }, {}];
  const trigger = { event_trigger_data: [{}], filters: { shade: ['red'] } };
  // Filters without the key in the source match: only another value keeps a source out.
  const others = [
    { filter_data: { shade: ['blue'] } },
    sources[1] ?? {},
    { filter_data: { shade: ['blue'] } },
  ];
  expect((await credited(model, others, trigger)).ids).toEqual(['1']);
  const none = await credited(model, [others[0] ?? {}], trigger);
  expect(outcomeOf(none.entry)).toBe('trigger-no-matching-filter-data');
});

test('ARA looks at the filters of the best source alone', async () => {
  const sources = [{}, { filter_data: { shade: ['blue'] } }];
  const { entry } = await credited({ kind: 'priority' }, sources, {
    event_trigger_data: [{}],
    filters: { shade: ['red'] },
  });
  expect(outcomeOf(entry)).toBe('trigger-no-matching-filter-data');
});

test('without noise the private models credit the last', async () => {
  for (const seed of ['a', 'b', 'c', 'd', 'e'])
    expect(
      (await credited(privately('exponential', { epsilon: epsilon(0.001) }), plain, undefined, { seed })).ids,
    ).toEqual(['2']);
});

/** How often each of three sources is credited, over seeds; noise is on, with an ε of reports at which none is replaced. */
test.each([
  [privately('exponential'), exponentialMechanismProbabilities],
  [privately('permute-and-flip'), permuteAndFlipProbabilities],
  [privately('exponential', { score: 'exponential' }), exponentialMechanismProbabilities],
  [privately('exponential', { score: 'reciprocal', gap: 2 }), exponentialMechanismProbabilities],
] as const)(
  '$0.kind with the $0.score score credits as often as it should',
  async (model, probabilitiesOf) => {
    const draws = isLong ? 600 : 300;
    const counts = [0, 0, 0];
    for (let seed = 0; seed < draws; seed++) {
      const { entry } = await credited(model, [{}, {}, {}], undefined, {
        seed: `draw ${seed}`,
        noise: { kind: 'on' },
      });
      const { values } = entry.checks.find(({ id }) => id === 'attribution') ?? {};
      if (values === undefined || !('how' in values) || values.how !== 'private')
        throw new Error('none drawn');
      const index = values.sources.split(', ').indexOf(String(values.source));
      counts[index] = (counts[index] ?? 0) + 1;
    }
    const expected = probabilitiesOf(clickChoice(model, [3000, 2000, 1000])).map(asNumber);
    expect(expected.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    const means = expected.map((probability) => probability * draws);
    // By chance it is rejected once in a million.
    expect(chiSquare(counts, means)).toBeLessThan(chiSquareThreshold(2, 1e-6));
  },
);

test.each<[string, MultiTouchModel, readonly number[], readonly number[]]>([
  ['linear', { kind: 'linear', credit: 'draw' }, [3000, 2000, 0], [1 / 3, 1 / 3, 1 / 3]],
  ['position-based', { kind: 'position-based', credit: 'draw' }, [9, 5, 4, 0], [0.4, 0.1, 0.1, 0.4]],
  ['position-based of two', { kind: 'position-based', credit: 'draw' }, [9, 0], [0.5, 0.5]],
  ['position-based of one', { kind: 'position-based', credit: 'draw' }, [9], [1]],
  [
    'time-decay',
    { kind: 'time-decay', credit: 'draw', halfLife: 2 },
    [6000, 2000, 0],
    [1 / 13, 4 / 13, 8 / 13],
  ],
  [
    'time-decay of old touches',
    { kind: 'time-decay', credit: 'draw', halfLife: 1 },
    [days(30) + 1000, days(30)],
    [1 / 3, 2 / 3],
  ],
])('the weights of %s are its shares', (_name, model, ages, shares) => {
  const draw = weightedIndex(touchWeights(model, ages));
  expect(fits(shares, draw)).toBe(true);
});

const weights = (...values: readonly number[]) => values.map((value) => rationalBounds(Rational.of(value)));

test.each([
  [10, [1, 1, 1], [3, 3, 4]],
  [1, [0.4, 0.2, 0.4], [0, 0, 1]],
  [100, [0.4, 0.1, 0.1, 0.4], [40, 10, 10, 40]],
  [0, [1, 1], [0, 0]],
  [4294967295, [1, 1], [2147483647, 2147483648]],
])('%d is split by the weights %j into %j', (value, sizes, shares) => {
  expect(splitValue(value, weights(...sizes))).toEqual(shares);
});

test('shares add up to the value, and none is off by one or more', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4294967295 }),
      fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 }),
      (value, parts) => {
        const sizes = parts.map((part) => part / 1000);
        const shares = splitValue(value, weights(...sizes));
        expect(shares.reduce((a, b) => a + b, 0)).toBe(value);
        const total = parts.reduce((a, b) => a + b);
        shares.forEach((share, index) => {
          expect(Math.abs(share - (value * (parts[index] ?? 0)) / total)).toBeLessThan(1);
        });
      },
    ),
  );
});

const valued: JsonObject = {
  trigger_specs: [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [1, 10, 50] }],
  max_event_level_reports: 3,
};
const split: AttributionModel = { kind: 'linear', credit: 'split' };
const worth = (value: number): JsonObject => ({ event_trigger_data: [{ trigger_data: '0', value }] });

test('a value is split among the sources that take values, and the others take no part', async () => {
  const { entry, ids, left } = await credited(split, [valued, {}, valued], worth(21));
  expect(entry).toMatchObject({
    decision: {
      kind: 'split',
      shares: [
        { values: [10], decision: { kind: 'attributed' } },
        { values: [11], decision: { kind: 'attributed' } },
      ],
    },
  });
  // 10 and 11: each enters the buckets at 1 and at 10.
  expect([...ids].sort()).toEqual(['0', '0', '2', '2']);
  expect(left).toBe(3);
  expect(entry.checks.filter(({ id }) => id === 'value-share')).toMatchObject([
    { passed: true, values: { count: 1, values: '10' } },
    { passed: true, values: { count: 1, values: '11' } },
  ]);
});

test('what is left of a small value for a source may be nothing', async () => {
  const { entry, ids } = await credited(split, [valued, valued], worth(1));
  expect(entry).toMatchObject({
    decision: {
      shares: [
        { values: [0], decision: { kind: 'dropped', reason: 'trigger-event-no-share' } },
        { values: [1], decision: { kind: 'attributed' } },
      ],
    },
  });
  expect(ids).toEqual(['1']);
});

test('where no source takes values one is drawn, and the log says why', async () => {
  const { entry, ids } = await credited(split, [{}, {}], worth(5));
  expect(ids).toHaveLength(1);
  expect(entry.checks.find(({ id }) => id === 'attribution')?.values).toMatchObject({ how: 'untaken' });
});

test('a conversion stamped before its source counts as simultaneous', async () => {
  const { engine } = newEngine();
  const settings = conditions(OFF, {
    attribution: privately('exponential', { score: 'reciprocal', gap: 2 }),
  });
  await engine.register(sourceRegistration({}, 'navigation', { time: START }), settings);
  const entry = await engine.register(
    triggerRegistration(undefined, { time: moment(START - seconds(5)) }),
    conditions({ kind: 'on' }, settings.measurement),
  );
  expect(outcomeOf(entry)).toBe('attributed');
});

test('clicks nearer than α to the conversion count as α before it', () => {
  const model = privately('exponential', { score: 'reciprocal', gap: 2, unit: 'hours' });
  const near = exponentialMechanismProbabilities(clickChoice(model, [hours(5), hours(1), 0])).map(asNumber);
  const clamped = exponentialMechanismProbabilities(clickChoice(model, [hours(5), hours(2), hours(2)])).map(
    asNumber,
  );
  expect(near).toEqual(clamped);
  expect(defaultMeasurement.attribution.kind).toBe('priority');
});
