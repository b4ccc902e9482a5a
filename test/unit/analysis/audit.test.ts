import { audit, comparisonsOf, type Audited, type Comparison } from '../../../analysis/audit/audit';
import { matrix } from '../../../analysis/audit/matrix';
import { distributionOf, TooManyOutcomes } from '../../../analysis/audit/outcomes';
import { deltaBeyond, privacyLoss } from '../../../analysis/audit/privacy-loss';
import { promisedRelations, relations } from '../../../analysis/audit/relations';
import { sampledDelta, sampledLoss } from '../../../analysis/audit/sampled-loss';
import { auditedBy } from '../../../cli/audit/audited';
import { main } from '../../../cli/main';
import { aggregatableInWords } from '../../../extension/pages/explain/aggregatable';
import { lossOfChoice } from '../../../src/attribution/click-scores';
import {
  exponentialMechanismProbabilities,
  permuteAndFlipProbabilities,
} from '../../../analysis/credits/click-odds';
import type { JsonObject } from '../../../src/model/json';
import type { ScoreKind } from '../../../src/model/mechanisms';
import { epsilon } from '../../../src/model/units';
import { bernoulliRational } from '../../../analysis/noise/bernoulli';
import type { RandomSource } from '../../../src/privacy/random-source';
import { seededRandomSource } from '../../../analysis/random/sources';
import { randomizedResponse } from '../../../src/privacy/randomized-response';
import { Rational } from '../../../src/privacy/rational';
import { uniformBelow } from '../../../src/privacy/uniform';
import { jointly } from '../helpers/budgets';
import { useCommands } from '../helpers/command';
import { isLong, itInSoak } from '../helpers/is-long';
import { MutatedAudit } from '../helpers/mutations/mutated';

const { out, err, file } = useCommands();

/** Randomized response over `states`, with more or less noise than it says. */
const response =
  (truth: bigint, states: bigint, value: number) =>
  (random: RandomSource): Promise<string> => {
    const drawn = randomizedResponse(states, epsilon(value))(random);
    return Promise.resolve(String(drawn.kind === 'truthful' ? truth : drawn.state));
  };

const exactLoss = async (
  one: (random: RandomSource) => Promise<string>,
  other: (random: RandomSource) => Promise<string>,
): Promise<number> => privacyLoss(await distributionOf(one, 1000), await distributionOf(other, 1000)).epsilon;

describe('going through all outcomes', () => {
  test.each([
    [2n, 1],
    [5n, 0.1],
    [3n, 14],
  ])('finds the ε of randomized response over %s states, ε = %d', async (states, value) => {
    const loss = await exactLoss(response(0n, states, value), response(1n, states, value));
    expect(loss).toBeGreaterThanOrEqual(value);
    expect(loss).toBeLessThan(value + 1e-6 * value);
  });

  test('finds a mechanism with a tenth too little noise', async () => {
    expect(await exactLoss(response(0n, 3n, 1.1), response(1n, 3n, 1.1))).toBeGreaterThan(1.09);
  });

  test('finds what cannot happen in one of the worlds', async () => {
    const always = (): Promise<string> => Promise.resolve('a');
    const seldom = (random: RandomSource): Promise<string> =>
      Promise.resolve(bernoulliRational(random, Rational.fraction(1n, 1000n)) ? 'b' : 'a');
    expect(await exactLoss(always, seldom)).toBe(Infinity);
  });

  test.each([
    [1, 0],
    [0.4, (Math.exp(1) - Math.exp(0.4)) / (1 + Math.exp(1))],
    [0, (Math.exp(1) - 1) / (1 + Math.exp(1))],
  ])('finds the δ of randomized response beyond ε = %d', async (beyond, delta) => {
    const [one, other] = [
      await distributionOf(response(0n, 2n, 1), 10),
      await distributionOf(response(1n, 2n, 1), 10),
    ];
    expect(deltaBeyond(one, other, beyond)).toBeGreaterThanOrEqual(delta);
    expect(deltaBeyond(one, other, beyond)).toBeCloseTo(delta, 12);
  });

  test('counts every way once, also where a decision depends on earlier ones', async () => {
    const run = (random: RandomSource): Promise<string> => {
      const first = uniformBelow(random, 3n);
      return Promise.resolve(String(first === 0n ? 'none' : uniformBelow(random, first + 1n)));
    };
    const found = await distributionOf(run, 10);
    const chances = [...found].map(([output, { lower }]) => [output, Number(lower >> 204n) / 2 ** 52]);
    expect(Object.fromEntries(chances)).toEqual({
      none: expect.closeTo(1 / 3, 12) as number,
      0: expect.closeTo(1 / 6 + 1 / 9, 12) as number,
      1: expect.closeTo(1 / 6 + 1 / 9, 12) as number,
      2: expect.closeTo(1 / 9, 12) as number,
    });
    await expect(distributionOf(run, 5)).rejects.toThrow(TooManyOutcomes);
  });
});

// A bound is above the true loss with a probability of at most 1e-7.
test('drawing certifies a bound below the true loss, and finds a gross leak', async () => {
  const random = seededRandomSource('audit', 1);
  const fair = await sampledLoss([response(0n, 2n, 1), response(1n, 2n, 1)], random);
  expect(fair.epsilon).toBeGreaterThan(0.5);
  expect(fair.epsilon).toBeLessThanOrEqual(1);
  const same = await sampledLoss([response(0n, 2n, 1), response(0n, 2n, 1)], random);
  expect(same).toEqual({ epsilon: 0, event: null });
  const leak = await sampledLoss([response(0n, 2n, 30), response(1n, 2n, 30)], random);
  expect(leak.epsilon).toBeGreaterThan(4);
  expect(sampledDelta(leak, 1)).toBeGreaterThan(0.9);
  expect(sampledDelta(fair, 0.5)).toBeGreaterThan(0);
  expect(sampledDelta(fair, 0.5)).toBeLessThan((Math.E - Math.exp(0.5)) / (1 + Math.E));
});

const named = (id: string, audited = matrix[0]): Comparison => {
  const comparison =
    audited === undefined ? undefined : comparisonsOf(audited).find(({ relation }) => relation.id === id);
  if (comparison === undefined) throw new RangeError(`there is no relation ${id}`);
  return comparison;
};

/** Up to half a minute of processor time for each row. noise-page.test.ts tries the quick ones of unbiased label noise. */
const long = [
  'clicks that say nothing of reports',
  'user, K = 5, with δ, of which less is registered',
  'unbiased label noise',
];

/**
 * Every fortieth one in `npm test`; the next configurations take those between. noise-page.test.ts tries each relation once in each run. All together
 * take a minute of processor time.
 */
const triedOf = (audited: Audited, place: number): ReturnType<typeof comparisonsOf> =>
  comparisonsOf(audited).filter(
    (_, index, all) =>
      isLong || (!long.includes(audited.name) && (all.length === 1 || (index + place) % 40 === 0)),
  );

describe('of all configurations', () => {
  const bundle = new MutatedAudit();
  let find: Awaited<ReturnType<MutatedAudit['load']>>['find'];
  beforeAll(async () => ({ find } = await bundle.load(null)));
  afterAll(() => bundle.stop());

  describe.each(
    matrix
      .map((one, place) => [one.name, triedOf(one, place)] as const)
      .filter(([, tried]) => tried.length > 0),
  )('%s', (name, tried) => {
    test.each(tried)(
      'keeps what is promised for $relation.id, to $observer',
      async ({ relation, observer }) => {
        const finding = await find([name, relation.id, observer]);
        expect(finding.method).toBe('exact');
        expect(finding).toMatchObject({ holds: true });
      },
    );
  });
});

describe('the audit finds', () => {
  const [first] = matrix as [Audited, ...Audited[]];

  test('more noise than is needed nowhere, and exactly the promised ε where a label is told', async () => {
    const finding = await audit(first, named('label-of-impression'), seededRandomSource('audit', 1));
    expect(finding.loss.epsilon).toBeCloseTo(1, 9);
    expect(finding.loss.event?.output).toBe('');
  });

  test('a source that is told without noise', async () => {
    const settings = { ...first.settings, debug: { ...first.settings.debug, enabled: true, noise: false } };
    const finding = await audit(
      { ...first, settings },
      named('label-of-impression'),
      seededRandomSource('audit', 1),
    );
    expect(finding).toMatchObject({ holds: false, loss: { epsilon: Infinity } });
  });

  test('exactly what a private prior and the report after it cost, and a prior without noise', async () => {
    const own = matrix.find(({ prior }) => prior?.split === 'budget');
    if (own?.prior === undefined) throw new Error('a configuration has a private prior');
    const finding = await audit(own, named('past-value', own), seededRandomSource('audit', 1));
    expect(finding.method).toBe('exact');
    expect(finding.promise).toBeCloseTo(3, 9);
    expect(finding.loss.epsilon).toBeCloseTo(3, 9);
    // With ε = 3 for the output, beside which the prior is not paid for.
    const unpaid = { ...own, prior: { ...own.prior, epsilon: epsilon(2) } };
    const promised = finding.promise ?? NaN;
    const { loss } = await audit(
      { ...unpaid, settings: { ...own.settings, budget: { ...own.settings.budget, epsilon: epsilon(5) } } },
      named('past-value', own),
      seededRandomSource('audit', 1),
    );
    expect(loss.epsilon).toBeGreaterThan(promised);
  });

  // What the consent page says.
  test('what an aggregatable report tells: of an ad 20 to 1, and none that there was no ad', async () => {
    const audited = matrix.find(({ name }) => name === 'aggregatable reports');
    if (audited === undefined) throw new Error('a configuration has aggregatable reports');
    const comparison = named('ad-before-conversion', audited);
    const finding = await audit(audited, comparison, seededRandomSource('audit', 1));
    expect(finding.loss).toEqual({ epsilon: Infinity, event: { output: '', probabilities: [0.95, 0] } });
    expect(aggregatableInWords('https://collector.example')).toMatch(
      /1 in 20 makes an empty report.* up to 20 times as likely after an ad as without one, or 125 times/,
    );
    // Also an ad over budget, a repeated key or a passed window makes none.
    expect(aggregatableInWords('https://collector.example')).toContain(
      'If none comes, either no ad came before, or a rule prevented the report',
    );
  });

  // The specification's shared limits are not private; docs/audit.md says so.
  test('that shared limits tell one ad tech of another', async () => {
    const limited = { ...first, limits: { maxSourceReportingOrigins: 1 } };
    const finding = await audit(limited, named('other-ad-tech-here'), seededRandomSource('audit', 1));
    expect(finding).toMatchObject({ holds: false, loss: { epsilon: Infinity } });
  });
});

describe('a choice among clicks', () => {
  const logOf = (chance: { lower: bigint; upper: bigint }): number => Math.log(Number(chance.lower >> 64n));

  test.each<[ScoreKind, number | undefined]>([
    ['linear', undefined],
    ['exponential', undefined],
    ['reciprocal', 3],
  ])('with the %s score loses no more than it is charged for, and nearly that', (score, gap) => {
    const draws = seededRandomSource('choices', score.length);
    let most = 0;
    const charged = lossOfChoice({ epsilon: 2, score, tau: 1 });
    for (let trial = 0; trial < 60; trial++) {
      const count = 2 + Number(uniformBelow(draws, 4n));
      const at = (): number => -3 - Number(uniformBelow(draws, 24n)) / 8;
      const clicks = Array.from({ length: count }, at);
      const moved = [...clicks];
      moved[0] = Math.min(-3, (clicks[0] ?? 0) + (Number(uniformBelow(draws, 17n)) - 8) / 8);
      const choice = { conversion: score === 'exponential' ? -3 : 0, tau: 1, epsilon: 2, score } as const;
      for (const probabilitiesOf of [exponentialMechanismProbabilities, permuteAndFlipProbabilities]) {
        const [before, after] = [clicks, moved].map((times) =>
          probabilitiesOf({ ...choice, clicks: times, ...(gap === undefined ? {} : { gap }) }).map((x) =>
            x(128),
          ),
        ) as [{ lower: bigint; upper: bigint }[], { lower: bigint; upper: bigint }[]];
        before.forEach((chance, index) => {
          const other = after[index];
          if (other !== undefined) most = Math.max(most, Math.abs(logOf(chance) - logOf(other)));
        });
      }
    }
    expect(most).toBeLessThanOrEqual(charged + 1e-12);
    expect(most).toBeGreaterThan(0.4 * charged);
  });
});

describe('cointoss audit', () => {
  /** A run takes seconds of processor time. Here are also relations that most built-in configurations leave out. */
  const audits = [
    ...Object.keys(promisedRelations),
    ...['label-while-offline', 'label-with-scope', 'labels-after-new-period'],
  ];
  const settings = { budget: { unit: 'user', epsilon: 1, cap: 1 } };

  if (isLong)
    test('audits given settings, and names what tells', async () => {
      const given = file('settings.json', settings);
      expect(await main(['audit', '--settings', given, '--registered', '3', '--json'])).toBe(0);
      const lines = out.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(lines.map(({ relation }) => relation)).toEqual(expect.arrayContaining(audits));
      expect(lines[0]).toMatchObject({ promise: 1, method: 'exact', holds: true });
    });

  itInSoak(
    'prints a table for people, and says that promises do not hold at limits, where these are those of the specification',
    async () => {
      const given = file('settings.json', { ...settings, limits: 'specification' });
      expect(await main(['audit', '--settings', given, '--registered', '3'])).toBe(0);
      const printed = out.join('');
      expect(printed).toContain('holds    1.000000  1.000000');
      for (const { id, differs } of relations) if (audits.includes(id)) expect(printed).toContain(differs);
      expect(printed).toMatch(
        /What is promised about noise does not hold once a limit is reached.*\nEvery promise holds\.\n$/,
      );
    },
  );

  describe('takes from the file with which ε sources register', () => {
    const click = { destination: 'https://shop.example', trigger_data: [0], max_event_level_reports: 1 };
    const stated = (epsilon?: number): JsonObject => ({
      name: 'Ad',
      sourceType: 'navigation',
      registration: epsilon === undefined ? click : { ...click, event_level_epsilon: epsilon },
    });
    const rule = (epsilon: number): JsonObject => ({
      id: 'ad',
      matches: ['https://news.example/*'],
      selector: 'a',
      on: 'click',
      register: 'source',
      reportingOrigin: 'https://adtech.example',
      registration: {
        destination: { $extract: { attribute: 'href', as: 'origin' } },
        source_event_id: { $extract: { attribute: 'id' } },
        event_level_epsilon: epsilon,
      },
    });
    const trial = (registrations: readonly JsonObject[], rules: readonly JsonObject[]): object => ({
      ...{ id: 'trial', version: 1, title: 'Trial', end: '2030-01-01T00:00:00Z' },
      ...{ researcher: { name: 'A', contact: 'B' }, information: { en: 'C' } },
      registrations,
      settings: { rules, budget: { unit: 'user-publisher', epsilon: 3, cap: 1, joint: jointly(3) } },
    });

    const files: readonly (readonly [string, object, readonly number[]])[] = [
      ['two registrations', trial([stated(2), stated(1)], []), [2, 1]],
      ['settings with a rule', { rules: [rule(2.5)] }, [2.5]],
      ['a trial that says nothing of ε, and so 14, of which the budget has 3', trial([stated()], []), [14]],
      ['a trial with less than its share', trial([stated(2)], []), [2]],
      ['a rule', trial([], [rule(1.5)]), [1.5]],
      ['a registration and a rule', trial([stated(2)], [rule(1.5)]), [2, 1.5]],
    ];

    test.each(files)('%s', (_what, content, registered) => {
      const { audited } = auditedBy({ settings: file('trial.json', content) });
      expect(audited.map((one) => one.registered)).toEqual(registered);
    });

    test('and audits each of them, which takes long only where there is noise', async () => {
      const settings = {
        rules: [rule(2), { ...rule(1), id: 'other' }],
        budget: { unit: 'user-publisher', epsilon: 1.5, cap: 1 },
        debug: { enabled: true, noise: false },
      };
      expect(await main(['audit', '--settings', file('settings.json', settings), '--json'])).toBe(1);
      const labels = out
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ relation }) => relation === 'label-of-impression');
      expect(labels).toMatchObject([
        { configuration: expect.stringContaining('ε = 2') as string, promise: 1.5, holds: false },
        { configuration: expect.stringContaining('ε = 1') as string, promise: 1, holds: false },
      ]);
    });

    // Each takes seconds of processor time.
    if (isLong)
      test.each(files)('and promises what it grants: %s', async (_what, content, registered) => {
        expect(await main(['audit', '--settings', file('trial.json', content), '--json'])).toBe(0);
        const labels = out
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .filter(({ relation }) => relation === 'label-of-impression');
        expect(labels.map(({ promise }) => promise)).toEqual(registered.map((one) => Math.min(one, 3)));
        for (const { loss, promise } of labels) expect(loss).toBeCloseTo(Number(promise), 9);
      });

    test.each<[string, object, readonly string[], RegExp]>([
      ['a trial', trial([], []), [], /--registered: must be given, because .*trial\.json does not say/],
      ['settings', {}, [], /--registered: must be given, because .*which is 14 if they have none/],
      [
        'a second answer',
        trial([stated(2)], []),
        ['--registered', '1'],
        /--registered: must not be given, because .*: 2\n/,
      ],
    ])('and refuses %s', async (_what, content, options, message) => {
      expect(await main(['audit', '--settings', file('trial.json', content), ...options])).toBe(2);
      expect(out).toEqual([]);
      expect(err.join('')).toMatch(message);
    });
  });

  test.each(['0', '-1', 'x', 'Infinity'])('refuses to register ε = %s', async (registered) => {
    const settings = file('settings.json', {});
    expect(await main(['audit', '--settings', settings, '--registered', registered])).toBe(2);
    expect(err.join('')).toMatch(/^cointoss: audit: --registered.*\n$/);
  });
});
