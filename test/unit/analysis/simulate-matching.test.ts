import { generateUser } from '../../../analysis/simulation/generate';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { planCredits } from '../../../analysis/simulation/matching';
import { matchingFor, type Matching } from '../../../analysis/simulation/matching-settings';
import { OutcomeCounter } from '../../../analysis/simulation/outcome-counter';
import { simulateUser, type Simulation } from '../../../analysis/simulation/user';
import { clickWeight, weightSensitivity } from '../../../analysis/matching/click-weights';
import { lossOf } from '../../../src/limits/privacy-budget';
import type { CreditPlan } from '../../../src/model/credit-plan';
import type { Json, JsonObject } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import type { BudgetSettings, MeasurementSettings, PrivateModel } from '../../../src/model/mechanisms';
import { defaultSettings, type Settings } from '../../../formats/settings/settings';
import { budgetKey, type Spend } from '../../../src/model/spend';
import { epsilon as epsilonOf, probability } from '../../../src/model/units';
import { type RandomSource } from '../../../src/privacy/random-source';
import { Rational } from '../../../src/privacy/rational';
import { replay, type ReplayOptions, type ReplayOutcome } from '../../../analysis/scenario/replay';
import { replaySettings, type ScenarioEvent } from '../../../analysis/scenario/scenario';
import { MemoryStore } from '../../../analysis/store/memory-store';
import { greedyMatchingDistribution } from '../helpers/greedy-distribution';
import { isLong } from '../helpers/is-long';
import { asNumber, discreteLaplaceProbabilities, fits } from '../helpers/mechanisms';
import { accepted, expectRefused } from '../helpers/parsing';
import { seededRandomSource, seededRandomStreams } from '../../../analysis/random/sources';

const line = (hour: number, eligible: string, site: string, header: JsonObject): JsonObject => ({
  user: 'ada',
  timestamp: String(hour * 3_600_000),
  registration_request: {
    context_origin: `https://${site}.example`,
    'Attribution-Reporting-Eligible': eligible,
  },
  responses: [{ url: 'https://ads.example/', response: header }],
});

/** A click whose `source_event_id` is its hour. */
const click = (hour: number, { site = 'news', color = 'red' } = {}): JsonObject =>
  line(hour, 'navigation-source', site, {
    'Attribution-Reporting-Register-Source': {
      destination: 'https://shop.example',
      source_event_id: String(hour),
      filter_data: { color: [color] },
    },
  });

const conversion = (hour: number, fields: JsonObject = {}): JsonObject =>
  line(hour, 'trigger', 'shop', {
    'Attribution-Reporting-Register-Trigger': { event_trigger_data: [{ trigger_data: '1' }], ...fields },
  });

const events = (lines: readonly Json[]): ScenarioEvent[] =>
  lines.map((one) => accepted(parseLogLine(one)).event);

const model: PrivateModel = {
  kind: 'exponential',
  epsilon: epsilonOf(0.5),
  score: 'linear',
  unit: 'hours',
  tau: 1,
  gap: null,
};

const budget = (fields: Partial<BudgetSettings>): BudgetSettings => ({
  ...defaultSettings.budget,
  ...fields,
});

function matching(
  mechanism: Matching['mechanism'],
  mechanisms: Pick<MeasurementSettings, 'attribution' | 'budget'>,
): Matching {
  const found = matchingFor(mechanism, mechanisms);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

/** Which click each report says, in the order of the conversions, and what became of these. */
async function simulated(
  lines: readonly Json[],
  settings: Partial<Settings>,
  mechanism: Matching['mechanism'] | null,
): Promise<{ readonly clicks: readonly unknown[]; readonly dropped: Record<string, number> }> {
  const all: Settings = { ...replaySettings, ...settings };
  const simulation: Simulation = {
    settings: all,
    limits: chromiumLimits,
    noise: false,
    allocation: 'per-cap',
    matching: mechanism === null ? null : matching(mechanism, all),
  };
  const { reports, tally } = await simulateUser(events(lines), simulation, seededRandomStreams('test'));
  const payloads = reports.map(
    ({ payload }) => payload as { readonly source_event_id: string; readonly trigger_data: string },
  );
  return {
    clicks: payloads
      .sort((a, b) => Number(a.trigger_data) - Number(b.trigger_data))
      .map(({ source_event_id }) => source_event_id),
    dropped: Object.fromEntries(tally.find(([section]) => section === 'triggers_dropped')?.[1] ?? []),
  };
}

/** With the probability that it counts. */
const withChance = (chance: Json, one: JsonObject): JsonObject => ({
  ...one,
  responses: (one['responses'] as readonly JsonObject[]).map((response) => ({ ...response, chance })),
});

const dataOf = (data: number): JsonObject => ({ event_trigger_data: [{ trigger_data: String(data) }] });

describe('without noise', () => {
  // Both conversions are nearest to the second click; the second one can have no other.
  const overlapping = [
    click(1),
    click(2, { color: 'blue' }),
    conversion(3, dataOf(1)),
    conversion(10, { ...dataOf(2), filters: { color: ['blue'] } }),
  ];

  test('each conversion by itself credits one click with both', async () => {
    const { clicks } = await simulated(overlapping, { attribution: model }, null);
    expect(clicks).toEqual(['2', '2']);
  });

  test('the matching of greatest weight credits each click with one', async () => {
    const { clicks, dropped } = await simulated(overlapping, { attribution: model }, 'laplace');
    expect({ clicks, dropped }).toEqual({ clicks: ['1', '2'], dropped: {} });
  });

  test('the greedy one gives the heaviest pair first, and what is left goes to none', async () => {
    const { clicks, dropped } = await simulated(overlapping, { attribution: model }, 'greedy');
    expect({ clicks, dropped }).toEqual({ clicks: ['2'], dropped: { 'trigger-not-credited': 1 } });
  });

  test('a pair weighs what it does on average, if its click or its conversion counts with a probability', async () => {
    const unlikely = withChance('1/100', click(2));
    const nearest = await simulated([click(1), unlikely, conversion(3)], { attribution: model }, 'laplace');
    expect(nearest.clicks).toEqual(['1']);
    // The second click is now worth more to the second conversion.
    const likelier = overlapping.map((one, index) => (index === 2 ? withChance(0.5, one) : one));
    const { clicks } = await simulated(likelier, { attribution: model }, 'greedy');
    expect(clicks).toEqual(['1', '2']);
  });

  test.each([0, 1.5, -1, 'often', '1/0', null])('a probability is not %j', (chance) => {
    expectRefused(parseLogLine(withChance(chance, click(1))), 'responses[0].chance', 'greater than 0');
  });

  test('the jointly private one is the best matching, too', async () => {
    const { clicks } = await simulated(overlapping, { attribution: model }, 'joint');
    expect(clicks).toEqual(['1', '2']);
  });

  test('each of several clicks that get the same conversion reports all of it', async () => {
    const outcomes: ReplayOutcome[] = [];
    const reports = await replay(
      {
        config: { limits: chromiumLimits, navigationRetry: null },
        settings: { ...replaySettings, attribution: model },
        events: events([click(1), click(2), conversion(3)]),
        reports: [],
      },
      {
        random: seededRandomStreams('both'),
        noise: false,
        creditPlan: (_, candidates) => ({ credited: candidates, charged: [], epsilon: epsilonOf(0) }),
        observe: (outcome) => outcomes.push(outcome),
      },
    );
    expect(reports.map(({ payload }) => payload)).toEqual(
      ['1', '2'].map((hour): unknown =>
        expect.objectContaining({ source_event_id: hour, trigger_data: '1' }),
      ),
    );
    const tally = new OutcomeCounter();
    for (const outcome of outcomes) tally.addOutcome(outcome);
    expect(Object.fromEntries(tally.of('triggers'))).toEqual({ split: 1, 'share attributed': 2 });
  });

  test('a conversion without event trigger data takes no click', async () => {
    const silent = conversion(3, {
      event_trigger_data: [],
      aggregatable_values: { key: 1 },
      aggregatable_trigger_data: [{ key_piece: '0x1', source_keys: ['key'] }],
    });
    const { clicks } = await simulated([click(1), silent, conversion(4)], { attribution: model }, 'greedy');
    expect(clicks).toEqual(['1']);
  });

  test('clicks of other reporting origins and destinations, and expired ones, are no candidates', async () => {
    const elsewhere = click(1);
    const other = { ...click(2), responses: [{ url: 'https://other.example/', response: {} }] };
    const far = 24 * 31;
    const { clicks, dropped } = await simulated(
      [elsewhere, other, conversion(far), click(far + 1), conversion(far + 2)],
      { attribution: model },
      'laplace',
    );
    expect({ clicks, dropped }).toEqual({
      clicks: [String(far + 1)],
      dropped: { 'trigger-no-matching-source': 1 },
    });
  });
});

/** Plans and runs a log, and returns what is then in the budget. */
async function spendsOf(lines: readonly Json[], settings: Settings): Promise<readonly Spend[]> {
  const store = new MemoryStore();
  const random = seededRandomStreams('spends');
  const run = (options: Partial<ReplayOptions>, store: MemoryStore): ReturnType<typeof replay> =>
    replay(
      {
        config: { limits: chromiumLimits, navigationRetry: null },
        settings,
        events: events(lines),
        reports: [],
      },
      { random, noise: true, ...options, store },
    );
  const plan = await planCredits(
    matching('greedy', settings),
    settings.budget,
    [],
    (rehearsal) => run(rehearsal, new MemoryStore()),
    random(0),
  );
  await run({ creditPlan: plan }, store);
  return store.read((tx) => tx.table('spends').latest(1_000_000));
}

describe('the budget', () => {
  const attributions = async (
    lines: readonly Json[],
    settings: Partial<BudgetSettings>,
  ): Promise<readonly unknown[]> =>
    (await spendsOf(lines, { ...replaySettings, attribution: model, budget: budget(settings) }))
      .filter(({ purpose }) => purpose === 'attribution')
      .sort((a, b) => a.id - b.id)
      .map(({ of, time, epsilon, sourceIds }) => ({
        of,
        hour: time / 3_600_000,
        epsilon,
        clicks: sourceIds.length,
      }));

  const log = [
    click(1, { site: 'a' }),
    click(2, { site: 'a' }),
    click(3, { site: 'b' }),
    conversion(4),
    click(5, { site: 'b' }),
    conversion(6),
    click(7, { site: 'c' }),
  ];

  test('has the ε of each click that took part once, at the first conversion it was a candidate of', async () => {
    const spent = await attributions(log, { unit: 'user-publisher' });
    expect(spent).toEqual([
      { of: 'https://a.example', hour: 4, epsilon: 0.5, clicks: 2 },
      { of: 'https://b.example', hour: 4, epsilon: 0.5, clicks: 1 },
      { of: 'https://b.example', hour: 6, epsilon: 0.5, clicks: 1 },
    ]);
  });

  test('keeps units out that cannot afford it, and their clicks get no credit', async () => {
    const settings = {
      unit: 'user-publisher',
      epsilon: epsilonOf(10),
      attributionEpsilon: epsilonOf(0.9),
      cap: 5,
    } as const;
    expect(await attributions(log, settings)).toEqual([
      { of: 'https://b.example', hour: 4, epsilon: 0.5, clicks: 1 },
    ]);
    const { clicks, dropped } = await simulated(
      log,
      { attribution: model, budget: budget(settings) },
      'laplace',
    );
    expect({ clicks, dropped }).toEqual({ clicks: ['3'], dropped: { 'trigger-not-credited': 1 } });
  });

  test('with Gaussian noise counts clicks by advanced composition', async () => {
    // Attribution has half of δ. Of a's two clicks, ½·1² + √(2·ln(2/δ))·1 is 5.89; of b's, ½·0.5² + √(2·ln(2/δ))·0.5 is 2.818.
    const settings = {
      unit: 'user-publisher',
      epsilon: epsilonOf(20),
      delta: probability(1e-6),
      cap: 5,
    } as const;
    const clicksWith = async (attributionEpsilon: number): Promise<readonly unknown[]> =>
      (
        await simulated(
          log.slice(0, 4),
          {
            attribution: model,
            budget: budget({ ...settings, attributionEpsilon: epsilonOf(attributionEpsilon) }),
          },
          'gaussian',
        )
      ).clicks;
    expect(await clicksWith(2.81)).toEqual([]);
    // b's click, of hour 3, is the newest.
    expect(await clicksWith(2.82)).toEqual(['3']);
    const refused = matchingFor('gaussian', {
      attribution: model,
      budget: budget({ epsilon: epsilonOf(20), attributionEpsilon: epsilonOf(6), cap: 5 }),
    });
    expect(refused).toContain('must have a budget.delta above 0');
  });

  test('drops a conversion whose candidates it all keeps out', async () => {
    const settings = {
      unit: 'user',
      epsilon: epsilonOf(10),
      attributionEpsilon: epsilonOf(0.5),
      cap: 5,
    } as const;
    const { dropped } = await simulated(
      [click(1), click(2), conversion(3)],
      { attribution: model, budget: budget(settings) },
      'laplace',
    );
    expect(dropped).toEqual({ 'trigger-privacy-budget': 1 });
  });

  test.each<BudgetSettings['unit']>(['impression', 'user-publisher', 'user-advertiser', 'user'])(
    'of the unit %s never loses more than its ε, nor to attribution more than is kept for it',
    async (unit) => {
      const settings: Settings = {
        ...replaySettings,
        attribution: model,
        budget: budget({
          unit,
          epsilon: epsilonOf(4),
          attributionEpsilon: epsilonOf(1.2),
          cap: unit === 'impression' ? null : 3,
        }),
      };
      const found = { attribution: 0, report: 0 };
      for (let user = 0; user < (isLong ? 40 : 20); user++) {
        const losses = { attribution: new Map<string, Rational>(), all: new Map<string, Rational>() };
        for (const spend of await spendsOf(generateUser('budget', user), settings)) {
          found[spend.purpose] += 1;
          for (const sums of spend.purpose === 'report' ? [losses.all] : [losses.all, losses.attribution]) {
            const before = sums.get(budgetKey(spend)) ?? Rational.ZERO;
            sums.set(budgetKey(spend), before.plus(lossOf(spend)));
          }
        }
        for (const sum of losses.attribution.values()) expect(sum.compare(Rational.of(1.2)) <= 0n).toBe(true);
        for (const sum of losses.all.values()) expect(sum.compare(Rational.of(4)) <= 0n).toBe(true);
      }
      expect(found.attribution).toBeGreaterThan(isLong ? 10 : 5);
      expect(found.report).toBeGreaterThan(isLong ? 40 : 20);
    },
  );
});

describe('the distribution of the plan', () => {
  type Call = Parameters<CreditPlan>;

  /** What a run of a log asks its plan. */
  async function callsOf(lines: readonly Json[]): Promise<readonly Call[]> {
    const calls: Call[] = [];
    await replay(
      {
        config: { limits: chromiumLimits, navigationRetry: null },
        settings: { ...replaySettings, attribution: model },
        events: events(lines),
        reports: [],
      },
      {
        random: seededRandomStreams('calls'),
        noise: false,
        creditPlan: (...call) => {
          calls.push(call);
          return { credited: [], charged: [], epsilon: epsilonOf(0) };
        },
      },
    );
    return calls;
  }

  /** Plans are made in advance, for `fits` draws without waiting. */
  async function draws(
    calls: readonly Call[],
    wanted: Matching,
    count: number,
    outcome: (clicks: readonly (readonly number[])[]) => number,
  ): Promise<() => number> {
    const random: RandomSource = seededRandomSource('plans', 0);
    const outcomes: number[] = [];
    for (let drawn = 0; drawn < count; drawn++) {
      const plan = await planCredits(
        wanted,
        defaultSettings.budget,
        [],
        ({ creditPlan }) => Promise.resolve(calls.map((call) => creditPlan(...call))),
        random,
      );
      const clicks = calls.map((call) => {
        const { credited } = plan(...call);
        return credited === 'over-budget'
          ? []
          : credited.map(({ registration }) => Number(registration.sourceEventId));
      });
      outcomes.push(outcome(clicks));
    }
    let next = 0;
    return () => outcomes[next++] ?? -1;
  }

  const wanted = (
    mechanism: Matching['mechanism'],
    epsilon: number,
    fields: Partial<PrivateModel>,
  ): Matching =>
    matching(mechanism, {
      attribution: { ...model, ...fields, epsilon: epsilonOf(epsilon) },
      budget: defaultSettings.budget,
    });

  // A quarter of the draws refutes twice the difference in ε.
  const DRAWS = isLong ? 20_000 : 5000;

  test('greedy: that of the mechanism over the ages of the clicks', async () => {
    const [clicks, conversions] = [
      [1, 2],
      [3, 6],
    ];
    const calls = await callsOf([
      ...clicks.map((hour) => click(hour)),
      ...conversions.map((hour) => conversion(hour)),
    ]);
    const score = { score: 'reciprocal', tau: 0.25, gap: 1 } as const;
    const exact = wanted('greedy', 2, score);
    const { matchings, probabilities } = greedyMatchingDistribution({
      weights: clicks.map((at) =>
        conversions.map((hour) => clickWeight(exact.model, (hour - at) * 3_600_000)),
      ),
      epsilon: 2,
      sensitivity: weightSensitivity(exact.model),
    });
    const outcome = (credited: readonly (readonly number[])[]): number =>
      matchings.findIndex(
        (pairs) =>
          pairs.length === 2 && pairs.every((pair) => credited[pair.conversion]?.[0] === clicks[pair.click]),
      );
    const expected = probabilities.map(asNumber);
    expect(fits(expected, await draws(calls, exact, DRAWS, outcome), DRAWS)).toBe(true);
    if (!isLong) return;
    // With 20 % more ε it is another.
    const other = await draws(calls, wanted('greedy', 2.4, score), DRAWS, outcome);
    expect(fits(expected, other, DRAWS)).toBe(false);
  });

  test('Laplace: that of two noisy ages', async () => {
    const calls = await callsOf([click(1), click(2), conversion(3)]);
    // Grains are 20 h/1024, and the noise has a scale of 1024/40 of them.
    const fields = { tau: 20 };
    const lead = Math.round((719 * 1024) / 20) - Math.round((718 * 1024) / 20);
    const reach = 600;
    const noise = discreteLaplaceProbabilities(1024 / 40, reach);
    const olderWins = noise.reduce(
      (sum, one, older) =>
        sum +
        noise.reduce((inner, two, newer) => {
          const ahead = older - newer - lead;
          return inner + (ahead > 0 ? one * two : ahead === 0 ? (one * two) / 2 : 0);
        }, 0),
      0,
    );
    const outcome = ([credited]: readonly (readonly number[])[]): number => (credited?.[0] ?? 0) - 1;
    const expected = [olderWins, 1 - olderWins];
    expect(fits(expected, await draws(calls, wanted('laplace', 40, fields), DRAWS, outcome), DRAWS)).toBe(
      true,
    );
    if (!isLong) return;
    // With 10 % more ε it is another.
    const other = await draws(calls, wanted('laplace', 44, fields), DRAWS, outcome);
    expect(fits(expected, other, DRAWS)).toBe(false);
  });

  test('joint: each click compares its own age with the other’s noisy one, and both or none can win', async () => {
    const calls = await callsOf([click(1), click(2), conversion(3)]);
    const fields = { tau: 20 };
    const lead = Math.round((719 * 1024) / 20) - Math.round((718 * 1024) / 20);
    const reach = 600;
    const noise = discreteLaplaceProbabilities(1024 / 40, reach);
    /** P[z < ahead], and half of P[z = ahead]. */
    const wins = (ahead: number): number =>
      noise.reduce(
        (sum, one, place) => sum + (place - reach < ahead ? one : place - reach === ahead ? one / 2 : 0),
        0,
      );
    const [older, newer] = [wins(-lead), wins(lead)];
    const outcome = ([credited = []]: readonly (readonly number[])[]): number =>
      credited.reduce((sum, hour) => sum + hour, 0);
    const expected = [(1 - older) * (1 - newer), older * (1 - newer), (1 - older) * newer, older * newer];
    expect(fits(expected, await draws(calls, wanted('joint', 40, fields), DRAWS, outcome), DRAWS)).toBe(true);
    if (!isLong) return;
    // With 20 % more ε it is another.
    const other = await draws(calls, wanted('joint', 48, fields), DRAWS, outcome);
    expect(fits(expected, other, DRAWS)).toBe(false);
  });
});

const settings = (
  fields: Partial<PrivateModel>,
  part: Partial<BudgetSettings> = {},
): Pick<MeasurementSettings, 'attribution' | 'budget'> => ({
  attribution: { ...model, ...fields },
  budget: budget(part),
});

test.each<[string, Pick<MeasurementSettings, 'attribution' | 'budget'>, string]>([
  [
    'no private attribution',
    { ...settings({}), attribution: { kind: 'last-touch' } },
    'must have an attribution of kind',
  ],
  ['scores that are no fractions', settings({ score: 'exponential' }), 'must have an attribution.score of'],
  [
    'a budget that keeps less for attribution',
    settings({}, { epsilon: epsilonOf(3), attributionEpsilon: epsilonOf(0.4) }),
    'must have a budget.attributionEpsilon of at least attribution.epsilon (0.5)',
  ],
])('there is no matching with %s', (_, mechanisms, problem) => {
  expect(matchingFor('greedy', mechanisms)).toContain(problem);
});
