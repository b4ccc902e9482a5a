import { existsSync, readFileSync } from 'node:fs';
import { main } from '../../../cli/main';
import { demoCampaigns } from '../../../analysis/simulation/demo-campaigns';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { eventLine } from '../../../analysis/simulation/event-line';
import type { HistogramRow } from '../../../analysis/w3c/aggregate';
import { parseProfile } from '../../../analysis/w3c/profile';
import { simulateApiUser } from '../../../analysis/w3c/user';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { sections, OutcomeCounter } from '../../../analysis/simulation/outcome-counter';
import { seededRandomSource } from '../../../analysis/random/sources';
import { randomStreamsOf } from '../../../extension/background/random-streams';
import type { Json, JsonObject } from '../../../src/model/json';
import { days, moment } from '../../../src/model/units';
import { useCommands } from '../helpers/command';

/* `simulate w3c`: from a log of registrations for Attribution Reporting to noisy histograms. */

const { err, file, pathOf } = useCommands();

const START = 1_767_225_600_000;
const NEWS = 'https://news.example';
const SHOP = 'https://shop.example';
const ADS = 'https://ads.example';

const source = (day: number, header: object, user = 'ada', context = NEWS): Json =>
  eventLine(user, moment(START + days(day)), {
    context,
    eligible: 'navigation-source',
    url: `${ADS}/click`,
    header: { 'Attribution-Reporting-Register-Source': { destination: SHOP, ...header } as Json },
  });

const trigger = (day: number, header: object = {}, user = 'ada', url = `${ADS}/sale`): Json =>
  eventLine(user, moment(START + days(day)), {
    context: SHOP,
    eligible: 'trigger',
    url,
    header: { 'Attribution-Reporting-Register-Trigger': header as Json },
  });

const of = (campaign: string): object => ({ filter_data: { campaign: [campaign] } });
const only = (campaign: string): object => ({ filters: { campaign: [campaign] } });

const settings = (more: { readonly [field: string]: Json } = {}): JsonObject => ({
  histogram: { by: 'campaign', buckets: ['red', 'blue'] },
  batchDays: 7,
  ...more,
});

interface Simulated {
  readonly rows: readonly HistogramRow[];
  readonly summary: object;
}

/** What the command says on standard error, with its exit code. */
async function command(
  log: object,
  given: object | null,
  output: string,
  ...more: string[]
): Promise<[number, string]> {
  err.length = 0;
  const code = await main([
    'simulate',
    ...['w3c', '--input', file('log.ndjson', log), '--output', pathOf(output)],
    ...(given === null ? [] : ['--settings', file('settings.json', given)]),
    ...more,
  ]);
  return [code, err.join('')];
}

async function simulate(log: object, given: object, ...more: string[]): Promise<Simulated> {
  const [code, said] = await command(log, given, 'out.ndjson', '--summary', pathOf('summary.json'), ...more);
  expect({ code, said }).toMatchObject({ code: 0 });
  return {
    rows: readFileSync(pathOf('out.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as HistogramRow),
    summary: JSON.parse(readFileSync(pathOf('summary.json'), 'utf8')) as object,
  };
}

interface Added {
  readonly sums: readonly number[];
  readonly tally: OutcomeCounter;
}

/** Runs the persons of a log one after the other, and adds up their reports. */
function added(log: readonly Json[], given = settings()): Added {
  const profile = parseProfile(given).value;
  if (profile === null) throw new Error('the settings must be valid');
  const lines = log.map((line) => parseLogLine(line).value).filter((line) => line !== null);
  const tally = new OutcomeCounter();
  let sums: readonly number[] = [...profile.buckets].map(() => 0);
  for (const user of new Set(lines.map((line) => line.user))) {
    const events = lines.flatMap((line) => (line.user === user ? [line.event] : []));
    const found = simulateApiUser(events, profile, (call) => seededRandomSource(user, call));
    tally.addAll(found.tally);
    for (const { histogram } of found.reports)
      sums = sums.map((sum, bucket) => sum + (histogram[bucket] ?? 0));
  }
  return { sums, tally };
}

describe('a registration becomes a call', () => {
  it.each<[string, readonly Json[], readonly number[]]>([
    ['the latest source of any campaign', [source(0, of('red')), source(1, of('blue')), trigger(2)], [0, 1]],
    [
      'filters as match values',
      [source(0, of('red')), source(1, of('blue')), trigger(2, only('red'))],
      [1, 0],
    ],
    [
      'one of several filters',
      [source(0, of('red')), trigger(2, { filters: [{ campaign: ['blue'] }, { campaign: ['red'] }] })],
      [1, 0],
    ],
    [
      'a filter without the key lets all through',
      [source(0, of('red')), trigger(2, { filters: [{ campaign: ['blue'] }, {}] })],
      [1, 0],
    ],
    ['the priority', [source(0, { ...of('red'), priority: '9' }), source(1, of('blue')), trigger(2)], [1, 0]],
    [
      'the expiry, rounded up to whole days',
      [source(0, { ...of('red'), expiry: 90_000 }), trigger(2)],
      [1, 0],
    ],
    ['the expiry', [source(0, { ...of('red'), expiry: 86_400 }), trigger(2)], [0, 0]],
    [
      'the destinations',
      [source(0, { ...of('red'), destination: 'https://other.example' }), trigger(2)],
      [0, 0],
    ],
    [
      'the reporting site',
      [source(0, of('red')), trigger(2, {}, 'ada', 'https://rival.example/sale')],
      [0, 0],
    ],
    [
      'another origin of the reporting site',
      [source(0, of('red')), trigger(2, {}, 'ada', 'https://sales.ads.example/')],
      [1, 0],
    ],
    ['another person', [source(0, of('red')), trigger(2, {}, 'bob')], [0, 0]],
  ])('%s', (_, log, expected) => {
    expect(added(log).sums).toEqual(expected);
  });

  it('or is counted with the reason why not', () => {
    const { tally } = added([
      source(0, of('green')),
      source(0, { ...of('red'), priority: '4294967296' }),
      source(0, { destination: 'shop' }),
      source(0, of('red'), 'ada', 'http://localhost:8080'),
      source(0, of('red')),
      trigger(1, only('green')),
      trigger(1, { not_filters: { campaign: ['blue'] } }),
      trigger(1),
    ]);
    const counts = Object.fromEntries(
      sections.map((section) => [section, Object.fromEntries(tally.of(section))]),
    );
    expect(counts).toMatchObject({
      sources: { saved: 1 },
      sources_rejected: { 'no-bucket': 1 },
      triggers: { attributed: 1, dropped: 1 },
      triggers_dropped: { 'no-bucket': 1, 'site-budget': 1 },
      reports: { made: 2 },
      warnings: { 'filters-left-out': 1 },
    });
    expect([...tally.of('sources_invalid').keys()]).toEqual([
      'context_origin: must be the name of a site, such as shop.example, was "http://localhost:8080"',
      'destination: must be a URL with https, or with http on localhost, was "shop"',
      'priority: must be an integer from -2147483648 to 2147483647, was 4294967296',
    ]);
  });
});

it('adds up the reports of each site, caller and period, and has a row for each bucket', async () => {
  const log = ['ada', 'bob', 'cyd'].flatMap((user) => [
    source(0, of('red'), user),
    trigger(1, {}, user),
    trigger(8, {}, user),
  ]);
  const { rows } = await simulate(log, settings({ conversion: { epsilon: 0.5 } }), '--no-noise');
  const row = { conversion_site: 'shop.example', caller: 'ads.example', reports: 3, standard_error: 0 };
  const [first, second] = [
    { ...row, start: START, end: START + days(7) },
    { ...row, start: START + days(7), end: START + days(14) },
  ];
  expect(rows).toEqual([
    { ...first, bucket: 'red', value: 3 },
    { ...first, bucket: 'blue', value: 0 },
    { ...second, bucket: 'red', value: 3 },
    { ...second, bucket: 'blue', value: 0 },
  ]);
});

it('adds up the whole log where no batch has an end', async () => {
  const log = [source(0, of('red')), trigger(1), trigger(8)];
  const { rows } = await simulate(
    log,
    { histogram: { by: 'campaign', buckets: ['red'] }, conversion: { epsilon: 0.5 } },
    '--no-noise',
  );
  expect(rows).toMatchObject([{ start: null, end: null, bucket: 'red', reports: 2, value: 2 }]);
});

const demoSettings = {
  histogram: { by: 'campaign', buckets: demoCampaigns.map(({ name }) => name) },
  conversion: { epsilon: 0.5 },
  batchDays: 1,
};
const demoLog = (users: number): readonly Json[] =>
  Array.from({ length: users }, (_, number) => demoUser('w3c', number).lines).flat();

it('gives the same histograms of a seed with any number of threads, with noise of the stated standard error', async () => {
  const log = demoLog(100);
  const noisy = await simulate(log, demoSettings, '--seed', '5', '--threads', '1');
  expect(await simulate(log, demoSettings, '--seed', '5', '--threads', '3')).toEqual(noisy);
  expect((await simulate(log, demoSettings, '--seed', '6')).rows).not.toEqual(noisy.rows);
  const exact = await simulate(log, demoSettings, '--seed', '5', '--no-noise');
  const squares = noisy.rows.map(
    ({ value, standard_error }, index) => ((value - (exact.rows[index]?.value ?? NaN)) / standard_error) ** 2,
  );
  expect(squares.length).toBeGreaterThan(300);
  // The variance of a square is at most 5, because the kurtosis is at most 6: so their mean has a standard error of at most √(5/300) = 0.13.
  const mean = squares.reduce((a, b) => a + b) / squares.length;
  expect(Math.abs(mean - 1)).toBeLessThan(0.7);
});

it('decides under a seed as the extension does under that of the person', async () => {
  // Each of 24 conversions on days of their own credits one of two: with other streams, all are the same with a probability of 2^-24.
  const log = [source(0, of('red')), source(1, of('blue'))];
  for (let day = 2; day < 26; day++) log.push(trigger(day));
  const given = settings({ batchDays: 1, conversion: { value: 1, credit: [1, 1], epsilon: 0.01 } });
  const { rows } = await simulate(log, given, '--no-noise', '--seed', 'one');
  const profile = parseProfile(given).value;
  if (profile === null) throw new Error('the settings must be valid');
  const events = log.flatMap((line) => parseLogLine(line).value?.event ?? []);
  const inBrowser = randomStreamsOf(() => JSON.stringify(['one', 'ada']))('w3c');
  const { reports } = simulateApiUser(events, profile, inBrowser);
  expect(reports).toHaveLength(24);
  expect(rows.map(({ value }) => value)).toEqual(reports.flatMap(({ histogram }) => histogram));
});

it('writes tables as the name of the output says', async () => {
  expect((await command(demoLog(5), demoSettings, 'out.csv'))[0]).toBe(0);
  expect(readFileSync(pathOf('out.csv'), 'utf8')).toMatch(
    /^conversion_site,caller,start,end,bucket,reports,value,standard_error\n/,
  );
});

describe('refuses', () => {
  it.each<[string, JsonObject, string]>([
    ['an unknown field', settings({ epsilon: 1 }), 'epsilon: is not a known field'],
    [
      'an unknown option of conversions',
      settings({ conversion: { epsilonn: 1 } }),
      'conversion.epsilonn: is not a known field',
    ],
    [
      'a repeated bucket',
      settings({ histogram: { by: 'campaign', buckets: ['a', 'a'] } }),
      'histogram.buckets[1]: must not repeat a',
    ],
    [
      'no buckets',
      settings({ histogram: { by: 'campaign', buckets: [] } }),
      'histogram.buckets: must have at least 1 item, has 0',
    ],
    ['no histogram', {}, 'must have the field "histogram"'],
    [
      'a value above the maximum',
      settings({ conversion: { value: 3, maxValue: 2 } }),
      'conversion.value: must be an integer from 1 to 2, was 3',
    ],
    [
      'more buckets than a histogram may have',
      settings({ limits: { maxHistogramSize: 1 } }),
      'histogram.buckets: must have at most 1 item, has 2',
    ],
    [
      'no budget',
      settings({ limits: { perSitePrivacyBudget: 0 } }),
      'limits.perSitePrivacyBudget: must be an integer from 1 to 4294967295, was 0',
    ],
    ['no days', settings({ batchDays: 0 }), 'batchDays: must be an integer from 1 to 366, was 0'],
  ])('%s', async (_, given, message) => {
    const [code, said] = await command([trigger(0)], given, 'refused.ndjson');
    expect([code, said]).toEqual([2, `cointoss: ${pathOf('settings.json')}: ${message}\n`]);
    expect(existsSync(pathOf('refused.ndjson'))).toBe(false);
  });

  it.each([
    ['--shard', '0/2'],
    ['--resume'],
    ['--with-users'],
    ['--matching', 'laplace'],
    ['--allocation', 'per-count'],
    ['--sources-output', 'sources.ndjson'],
  ])('%s, which it has no use for', async (...option) => {
    expect(await command([trigger(0)], settings(), 'refused.ndjson', ...option)).toEqual([
      2,
      `cointoss: unknown option '${option[0]}'\n`,
    ]);
  });

  it('events out of order, with the place', async () => {
    const [code, said] = await command([trigger(1), trigger(0)], settings(), 'refused.ndjson');
    expect(code).toBe(2);
    expect(said).toContain('log.ndjson: line 2: timestamp: must be in the order of time');
    expect(existsSync(pathOf('refused.ndjson'))).toBe(false);
  });

  it('a missing settings file', async () => {
    expect(await command([trigger(0)], null, 'refused.ndjson')).toEqual([
      2,
      "cointoss: required option '--settings <file>' not specified\n",
    ]);
  });
});
