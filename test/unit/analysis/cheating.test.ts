import { cheated, type CheatedPerson } from '../../../analysis/experiment/cheating/cheated';
import type { Cheating } from '../../../analysis/experiment/cheating/cheating';
import {
  payable,
  paidBy,
  payingApis,
  type Paid,
  type PayingApi,
} from '../../../analysis/experiment/cheating/paid';
import { LoggedSources } from '../../../analysis/experiment/logged-sources';
import { cheating } from '../../../analysis/experiment/tasks/cheating';
import { seededRandomSource, seededRandomStreams } from '../../../analysis/random/sources';
import type { ScenarioEvent } from '../../../analysis/scenario/scenario';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { checkOrder } from '../../../analysis/simulation/user';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';
import { isLong } from '../helpers/is-long';

const { err, file, pathOf } = useCommands();

const people: readonly (readonly ScenarioEvent[])[] = Array.from({ length: 60 }, (_, number) =>
  demoUser('cheating', number)
    .lines.flatMap((line) => parseLogLine(line).value?.event ?? [])
    .map(payable),
);

const cheatedBy = (plan: Cheating): readonly CheatedPerson[] =>
  people.map((events, number) => cheated(events, plan, seededRandomSource('cheat', number)));

/** How many sources each publisher registers, by type. */
function sourcesIn(events: readonly ScenarioEvent[]): Readonly<Record<string, number>> {
  const sources = new LoggedSources(['publisher', 'source_type']);
  for (const event of events) sources.add(event);
  const found: Record<string, number> = {};
  for (const { group, count } of sources.list())
    found[group.join(' ')] = (found[group.join(' ')] ?? 0) + count;
  return found;
}

const honestIn = (events: readonly ScenarioEvent[]): number => {
  const { 'honest event': views = 0, 'honest navigation': clicks = 0 } = sourcesIn(events);
  return views + clicks;
};

test.each([
  ['views', 'cheat event'],
  ['clicks', 'cheat navigation'],
] as const)(
  'a cheat adds as many %s as the plan says, in order of time, and changes nothing else',
  (kind, name) => {
    for (const { honest, told, forged } of cheatedBy({ kind, count: 3 })) {
      expect(forged).toEqual([]);
      expect(sourcesIn(told)).toEqual({ ...sourcesIn(honest), [name]: 3 });
      expect(told.filter((event) => honest.includes(event))).toEqual(honest);
      expect(() => checkOrder(told)).not.toThrow();
    }
  },
);

test('a cheat that drains budgets has an ad and a conversion on each of its sites each week', () => {
  for (const { honest, told } of cheatedBy({ kind: 'drain', publishers: 2, sites: 4, quota: true })) {
    const added = told.length - honest.length;
    expect(added % 8).toBe(0);
    // Thirty days have five weeks, the last of which is not whole.
    expect(added / 8).toBeGreaterThanOrEqual(5);
    const sources = Object.entries(sourcesIn(told)).flatMap(([name, count]) =>
      name.startsWith('drain ') ? [count] : [],
    );
    expect(sources.reduce((sum, count) => sum + count, 0)).toBe(added / 2);
    expect(honestIn(told)).toBe(honestIn(honest));
  }
});

test('a forger claims that somebody else saw an ad of the cheat before each conversion', () => {
  const conversions = people.flat().filter((event) => {
    const headers = event.kind === 'request' ? event.responses.map((response) => response.headers) : [];
    return headers.some((fields) => fields.has('attribution-reporting-register-trigger'));
  });
  const forged = cheatedBy({ kind: 'forgery', count: 2 }).flatMap((person) => person.forged);
  expect(conversions.length).toBeGreaterThan(10);
  // A few conversions follow an ad for another shop.
  expect(forged.length).toBeGreaterThan(1.8 * conversions.length);
  expect(forged.length).toBeLessThanOrEqual(2 * conversions.length);
  for (const [source, trigger, ...more] of forged) {
    expect(more).toEqual([]);
    expect(honestIn(source === undefined ? [] : [source])).toBe(0);
    expect(source?.time).toBe((trigger?.time ?? 0) - 60_000);
  }
});

test('the task pays for what is credited', () => {
  const numbers = Object.values(cheating.numbers).map((numberOf) =>
    numberOf({
      groups: [
        { name: 'honest', sources: 90, truth: 40, estimate: 10, variance: 0 },
        { name: 'cheat', sources: 50, truth: 0, estimate: 20, variance: 0 },
        { name: 'drain', sources: 50, truth: 0, estimate: 70, variance: 0 },
      ],
      ...{ cells: [], sums: [], confidence: 0.95, holdout: null, mostValue: null },
    }),
  );
  expect(numbers).toEqual([50, 75]);
});

/** So many people of all, where each has many more events. */
const FEW = isLong ? 60 : 20;

describe('without noise', () => {
  const measured = async (plan: Cheating, api: PayingApi | null, count: number): Promise<Paid> => {
    const hasQuota = plan.kind !== 'drain' || plan.quota;
    const steps = paidBy(api, cheatedBy(plan).slice(0, count), hasQuota, (person) =>
      seededRandomStreams(`person ${person}`),
    );
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return step.value;
    }
  };
  /** Most tests compare with what is paid if nobody cheats, which takes seconds. */
  const known = new Map<string, Promise<Paid>>();
  const paid = (plan: Cheating, api: PayingApi | null, count = people.length): Promise<Paid> => {
    const key = JSON.stringify([plan, api, count]);
    const found = known.get(key) ?? measured(plan, api, count);
    known.set(key, found);
    return found;
  };

  test('nobody is paid too much if nobody cheats', async () => {
    const truth = await paid({ kind: 'none' }, null);
    expect(truth).toMatchObject({ cheat: 0, drain: 0 });
    expect(truth.honest).toBeGreaterThan(20);
    for (const api of payingApis) {
      const { honest, cheat } = await paid({ kind: 'none' }, api);
      expect(cheat).toBe(0);
      expect(honest).toBeGreaterThan(truth.honest / 2);
      expect(honest).toBeLessThanOrEqual(truth.honest);
    }
  });

  test.each(payingApis)('invented clicks take more than invented views (%s)', async (api) => {
    const [none, views, clicks] = [
      await paid({ kind: 'none' }, api),
      await paid({ kind: 'views', count: 5 }, api),
      await paid({ kind: 'clicks', count: 5 }, api),
    ];
    expect(clicks.cheat).toBeGreaterThan(views.cheat);
    expect(clicks.honest).toBeLessThan(views.honest);
    expect(views.honest).toBeLessThanOrEqual(none.honest);
  });

  test.each(payingApis)('each forged conversion is paid (%s)', async (api) => {
    const plan = { kind: 'forgery', count: 2 } as const;
    const forged = cheatedBy(plan).reduce((sum, person) => sum + person.forged.length, 0);
    const none = await paid({ kind: 'none' }, api);
    expect(await paid(plan, api)).toEqual({ ...none, cheat: forged });
  });

  test('only W3C Attribution has a budget that others can use up, and a quota of one site protects half of it', async () => {
    const drain = { kind: 'drain', publishers: 1, sites: 16, quota: true } as const;
    for (const api of ['event-level', 'summary'] as const)
      expect((await paid(drain, api, 8)).honest).toBe((await paid({ kind: 'none' }, api, 8)).honest);
    const [none, open, quota, two] = [
      await paid({ kind: 'none' }, 'w3c', FEW),
      await paid({ ...drain, quota: false }, 'w3c', FEW),
      await paid(drain, 'w3c', FEW),
      await paid({ ...drain, publishers: 2 }, 'w3c', FEW),
    ];
    expect(open.honest).toBeLessThan(none.honest);
    expect(quota.honest).toBe(none.honest);
    // Two quotas of half the budget are all of it.
    expect(two.honest).toBe(open.honest);
  });
});

const api = [{ kind: 'w3c' }];
const budget = { unit: 'user-advertiser', period: 7, epsilon: 4, cap: 2 };

test.each([
  ['without a cheat', { api }, 'must have cheating in the grid'],
  ['without an API', { cheating: [{ kind: 'none' }] }, 'must have an api'],
  [
    'with another column',
    { api, cheating: [{ kind: 'none' }] },
    'must have ["publisher"] as the first level',
  ],
  ['with an unknown cheat', { api, cheating: [{ kind: 'lies' }] }, 'grid.cheating.kind: must be "none" or'],
])('compare refuses to measure cheating %s', async (name, grid, message) => {
  const levels = name === 'with another column' ? [['campaign']] : [['publisher']];
  const experiment = { settings: { budget }, grid, measure: { levels, tasks: ['cheating'] } };
  const words = ['compare', file('bad.json', experiment), '--output', pathOf('none')];
  expect(await main(words)).toBe(2);
  expect(err.join('')).toContain(message);
});
