import { analyse } from '../../../analysis/estimate/result/analysis';
import { comparedTotals } from '../../../analysis/estimate/result/comparison';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { peopleForLift, type LiftPlan } from '../../../analysis/estimate/lift/people-for-lift';
import { peopleNeeded, type Aim, type Plan, type Tried } from '../../../analysis/estimate/lift/people-needed';
import { seededUniform } from '../../../analysis/estimate/likelihood/statistical-draws';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated, tallyOf } from '../../../bench/simulated';
import { main } from '../../../cli/main';
import type { SourceType } from '../../../src/model/limits';
import { ReportSpace } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';

const { out, err, file } = useCommands();

const planOf = (type: SourceType, epsilon: number, rate: number, aim: Aim): Plan => ({
  configuration: simulated(type, epsilon).configuration,
  rate,
  aim,
  chance: 0.8,
  level: 0.95,
});

const found = (plan: Plan, runs: number): Tried | null => last(peopleNeeded(plan, runs, 'power'));

function last(steps: ReturnType<typeof peopleNeeded>): Tried | null {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/*
 * By hand, with the normal distribution. A source has a report with chance p = 2r/3 + (1 − r) rate, where r = 3/(3 + e^ε − 1); the rate is
 * estimated with variance p (1 − p) / (1 − r)² n. That the interval is rarely wider costs some people more where there are few.
 */
test.each([
  ['event with little noise', 14, 0.02, 0.01, [753, 1.3]],
  ['event with much noise', 1, 0.02, 0.01, [71_020, 1.05]],
  ['event with noise, and most convert', 3, 0.7, 0.02, [2724, 1.05]],
] as const)(
  '%s: as many people as the normal distribution says',
  (_, epsilon, rate, within, [exact, more]) => {
    const tried = found(planOf('event', epsilon, rate, { kind: 'interval', within }), 200);
    expect(tried?.people).toBeGreaterThan(exact * 0.97);
    expect(tried?.people).toBeLessThan(exact * more);
  },
);

test('two campaigns are told apart with as many people as the normal distribution says', () => {
  // (1.96 + 0.84)² (0.02 · 0.98 + 0.03 · 0.97) / 0.01² in each.
  const tried = found(planOf('event', 14, 0.02, { kind: 'best', best: 0.03, campaigns: 2 }), 400);
  expect(tried?.people).toBeGreaterThan(7640 * 0.9);
  expect(tried?.people).toBeLessThan(7640 * 1.2);
});

test('a rate of conversions sees no more of an output than how many reports it has', () => {
  const { configuration } = simulated('navigation', 8);
  const space = new ReportSpace(shapeOf(configuration.shape));
  const estimator = estimatorOf(configuration);
  const estimates = new Map<number, Set<string>>();
  for (let state = 0n; state < space.states; state++) {
    const reports = space.decode(state).flat().length;
    const { estimate, interval } = estimator.estimate(
      { kind: 'conversion-rate' },
      new Map([
        ['0', 90],
        [String(state), 10],
      ]),
      { level: 0.95, randomness: 'noise-and-sampling' },
    );
    const text = [estimate, ...interval].map((value) => value.toPrecision(9)).join();
    estimates.set(reports, (estimates.get(reports) ?? new Set()).add(text));
  }
  expect([...estimates.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1]);
});

/*
 * By hand, with z = 1.96 + 0.84 and half of the people held out: the rates 0.05 and 0.06 differ by 0.01, and n people have a difference with
 * the variance (0.05 + 0.06)·n/2 + the noise, of which the interval knows.
 */
test.each<[string, LiftPlan['measure'], number, number]>([
  ['without noise', { kind: 'sum', scale: 1e-9 }, 0.2, 17_270],
  ['with sums of much noise', { kind: 'sum', scale: 40 }, 0.2, 54_280],
  ['where the ads put people off', { kind: 'sum', scale: 1e-9 }, -0.2, 14_130],
  ['with reports', { kind: 'reports', configuration: simulated('event', 3).configuration }, 0.2, 51_000],
])('a lift is found with as many people as the normal distribution says: %s', (_, measure, lift, people) => {
  const plan = { lift, holdout: 0.5, rate: 0.05, measure, chance: 0.8, level: 0.95 };
  const tried = last(peopleForLift(plan, 300, 'lift'));
  expect(tried?.people).toBeGreaterThan(people * 0.9);
  expect(tried?.people).toBeLessThan(people * 1.1);
});

/*
 * Rates of 0.05 and 0.05005 with 1 % held out: by hand, n · 0.01 · 0.05 = (2.8 · 1000)², 15.7 thousand million people, more than are tried. A rule
 * that takes the number of conversions for their variance finds such a lift among 127 people, because none of the one held out converts.
 */
test('a tiny lift is not found by chance among few people', () => {
  const measure = { kind: 'sum', scale: 1e-9 } as const;
  const plan = { lift: 0.001, holdout: 0.01, rate: 0.05, measure, chance: 0.8, level: 0.95 };
  expect(last(peopleForLift(plan, 20, 'tiny'))).toBeNull();
});

test('the search for a lift begins with ten conversions of the smaller arm, and goes down from there', () => {
  const measure = { kind: 'sum', scale: 1e-9 } as const;
  const plan = { lift: 15, holdout: 0.1, rate: 0.05, measure, chance: 0.8, level: 0.95 };
  const steps = [...peopleForLift(plan, 50, 'first')].map(({ people }) => people);
  expect(steps.slice(0, 3)).toEqual([2000, 1000, 500]);
});

/** Each source is drawn by the engine's own mechanism, and its reports are analysed as the pages do. The bound is 5 standard errors. */
test.each([
  ['event', 2, 0.05, { kind: 'best', best: 0.25, campaigns: 3 }],
  ['navigation', 12, 0.1, { kind: 'interval', within: 0.03 }],
] as const)('the chance is that of trials with real reports: %s, ε = %d', (type, epsilon, rate, aim) => {
  const plan = planOf(type, epsilon, rate, aim);
  const tries = isLong ? 400 : 100;
  const needed = found(plan, tries);
  const source = simulated(type, epsilon);
  const runs = isLong ? 1000 : 60;
  const campaigns = aim.kind === 'best' ? aim.campaigns : 1;
  const each = Math.ceil((needed?.people ?? 0) / campaigns);
  let reached = 0;
  for (let run = 0; run < runs; run++) {
    const random = seededRandomSource('real', run);
    const uniform = seededUniform('real', run);
    const groups = Array.from({ length: campaigns }, (_, campaign) => ({
      group: [String(campaign)],
      tally: tallyOf(
        source,
        Array.from({ length: each }, () => {
          const own = aim.kind === 'best' && campaign === 0 ? aim.best : rate;
          return uniform() < own ? source.stateOf(0, [0]) : '0';
        }),
        random,
      ),
    }));
    const { configuration, level } = plan;
    const analysis = analyse(
      { configuration, groups },
      { level, randomness: 'noise-and-sampling', likelihood: false, singles: false },
    );
    const first = comparedTotals(
      [{ tally: { name: '', given: null, configuration, groups }, analysis }],
      level,
    ).find(({ group }) => group[0] === '0');
    const [low, high] = first?.estimates[0]?.estimate.interval ?? [NaN, NaN];
    if (aim.kind === 'best' ? first?.rank?.worst === 1 : (high - low) / 2 <= aim.within) reached += 1;
  }
  const expected = (needed?.reached ?? 0) / tries;
  expect(Math.abs(reached / runs - expected)).toBeLessThan(5 * Math.sqrt(0.16 * (1 / runs + 1 / tries)));
});

const power = (...argv: readonly string[]): Promise<number> =>
  main(['power', '--source-type', 'event', ...argv]);

test('the command says how many people, and the same for a seed', async () => {
  const argv = ['--epsilon', '3', '--rate', '0.1', '--within', '0.05', '--runs', '50', '--seed', 'a'];
  expect([await power(...argv), await power(...argv)]).toEqual([0, 0]);
  expect(out[0]).toBe(out[1]);
  expect(JSON.parse(out[0] ?? '')).toMatchObject({
    runs: 50,
    epsilon: 3,
    rate: 0.1,
    within: 0.05,
    level: 0.95,
  });
});

test('where no number of people is enough, it says no', async () => {
  expect(await power('--epsilon', '0.001', '--rate', '0.1', '--within', '0.001', '--runs', '10')).toBe(1);
  expect(JSON.parse(out.join(''))).toMatchObject({ people: null, tried: 10_000_000, chance: 0 });
});

test.each<[string, readonly string[], RegExp]>([
  ['no aim', ['--rate', '0.1'], /--within, --best or --lift: one must be given/],
  ['both aims', ['--rate', '0.1', '--within', '0.1', '--best', '0.2'], /cannot be used with/],
  [
    'a percentage',
    ['--rate', '2', '--within', '0.1'],
    /--rate: must be a share from 0 to 1, such as 0.02 for 2 %, was "2"/,
  ],
  ['no number', ['--rate', '', '--within', '0.1'], /--rate: .* was ""/],
  ['a best that is not best', ['--rate', '0.1', '--best', '0.1'], /--best: must be greater than --rate, 0.1/],
  [
    'one campaign',
    ['--rate', '0.1', '--best', '0.2', '--campaigns', '1'],
    /--campaigns must be an integer from 2 to 1000/,
  ],
  [
    'campaigns without a best',
    ['--rate', '0.1', '--within', '0.1', '--campaigns', '8'],
    /--campaigns <count>' cannot be used with/,
  ],
  ['a lift of 0', ['--rate', '0.1', '--lift', '0'], /--lift: must not be 0/],
  ['two goals', ['--rate', '0.1', '--lift', '0.1', '--within', '0.1'], /cannot be used with/],
  ['another API than the goal can have', ['--rate', '0.1', '--within', '0.1', '--api', 'w3c'], /cannot be/],
  ['a sum without ε', ['--rate', '0.1', '--lift', '0.2', '--api', 'w3c'], /--api w3c: must have --epsilon/],
  [
    'a sum with a type of source',
    ['--rate', '0.1', '--lift', '0.2', '--api', 'summary', '--epsilon', '1'],
    /--source-type: found "event", but with --api summary .* leave it out/,
  ],
  [
    'a holdout without a lift',
    ['--rate', '0.1', '--within', '0.1', '--holdout', '0.1'],
    /--holdout: needs --lift/,
  ],
  ['no ε', ['--rate', '0.1', '--within', '0.1', '--epsilon', '0'], /--epsilon: must be .* greater than 0/],
  ['certainty', ['--rate', '0.1', '--within', '0.1', '--chance', '1'], /--chance: must be .* less than 1/],
])('is refused: %s', async (_, argv, message) => {
  expect(await power(...argv)).toBe(2);
  expect(err.join('')).toMatch(message);
});

test('the command says how many people a lift test needs', async () => {
  const asked = ['--rate', '0.1', '--lift', '1', '--epsilon', '1', '--runs', '20', '--seed', 'a'];
  const people: number[] = [];
  for (const api of ['event-level', 'summary', 'w3c']) {
    out.length = 0;
    const type = api === 'event-level' ? ['--source-type', 'event'] : [];
    expect(await main(['power', ...type, ...asked, '--api', api])).toBe(0);
    const answer = JSON.parse(out.join('')) as { readonly people: number };
    expect(answer).toMatchObject({ api, epsilon: 1, rate: 0.1, lift: 1, holdout: 0.5 });
    people.push(answer.people);
  }
  const [reports = 0, summary = 0, w3c = 0] = people;
  // Noise of each report costs more than noise of sums, and W3C's has twice the scale of the summary's.
  expect(reports).toBeGreaterThan(w3c);
  expect(w3c).toBeGreaterThan(summary);
});

test('event-level reports need to be of a type', async () => {
  expect(await main(['power', '--rate', '0.1', '--lift', '0.1'])).toBe(2);
  expect(err.join('')).toContain('--source-type: must be navigation or event');
});

test('reports that do not count conversions are refused', async () => {
  const flexible = {
    trigger_specs: [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [5] }],
  };
  expect(await power(file('values.json', flexible), '--rate', '0.1', '--within', '0.1')).toBe(2);
  expect(err.join('')).toMatch(/values\.json: trigger_specs: must count conversions/);
});
