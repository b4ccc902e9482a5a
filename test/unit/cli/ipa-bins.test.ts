import { readFileSync } from 'node:fs';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';

const { out, file, pathOf } = useCommands();

const SOURCE = {
  destination: 'https://shop.example',
  event_level_epsilon: 3,
  max_event_level_reports: 4,
  trigger_specs: [
    {
      trigger_data: [0, 1],
      summary_operator: 'value_sum',
      summary_buckets: [11, 101],
      event_report_windows: { end_times: [604800] },
    },
  ],
};

/** Conversions as [key, value], and how many users of 1,000 have them; the bins are [0,10], [11,100] and [101+]. */
const USERS: readonly (readonly [count: number, conversions: readonly (readonly [number, number])[]])[] = [
  [500, []],
  [100, [[0, 10]]],
  [
    200,
    [
      [0, 6],
      [0, 5],
    ],
  ],
  [100, [[0, 101]]],
  [
    100,
    [
      [0, 100],
      [1, 4000],
    ],
  ],
];

/** The number of users in each combination of bins: state 3·(bin of key 0) + (bin of key 1). */
const TRUTH = [600, 0, 0, 200, 0, 100, 100, 0, 0];

const event = (user: string, hours: number, site: string, eligible: string, header: object): string =>
  JSON.stringify({
    user,
    timestamp: String(1767225600000 + hours * 3600000),
    registration_request: {
      context_origin: `https://${site}.example`,
      'Attribution-Reporting-Eligible': eligible,
    },
    responses: [{ url: 'https://ads.example/register', response: header }],
  });

const logOf = (user: string, conversions: readonly (readonly [number, number])[]): string[] => [
  event(user, 0, 'news', 'navigation-source', {
    'Attribution-Reporting-Register-Source': { ...SOURCE, source_event_id: user },
  }),
  ...conversions.map(([key, value], index) =>
    event(user, 1 + index, 'shop', 'trigger', {
      'Attribution-Reporting-Register-Trigger': {
        event_trigger_data: [{ trigger_data: String(key), value }],
      },
    }),
  ),
];

interface Estimates {
  readonly configurations: readonly {
    readonly outputs: string;
    readonly groups: readonly {
      readonly estimates: readonly {
        readonly quantity: string;
        readonly state?: string;
        readonly estimate: number;
        readonly variance: number;
      }[];
    }[];
  }[];
}

/** A normal variable is beyond so many standard errors with probability 2·10⁻⁷, both sides together. */
const STANDARD_ERRORS = 5.2;

test("the caller's own bins go from registrations to estimates, for both keys together", async () => {
  let user = 0;
  const lines = USERS.flatMap(([count, conversions]) =>
    Array.from({ length: count }, () => logOf(String(user++), conversions)).flat(),
  );
  const [reports, sources] = [pathOf('reports.ndjson'), pathOf('sources.ndjson')];
  const log = file('log.ndjson', `${lines.join('\n')}\n`);
  expect(
    await main([
      'simulate',
      '--input',
      log,
      '--output',
      reports,
      '--sources-output',
      sources,
      '--seed',
      'ipa',
      '--threads',
      '1',
    ]),
  ).toBe(0);
  expect(readFileSync(reports, 'utf8')).toContain('"trigger_summary_bucket":[101,4294967295]');
  out.length = 0;
  expect(
    await main([
      'estimate',
      '--reports',
      reports,
      '--sources',
      sources,
      '--states',
      '--noise-only',
      '--json',
    ]),
  ).toBe(0);
  const { configurations } = JSON.parse(out.join('')) as Estimates;
  expect(configurations.map(({ outputs }) => outputs)).toEqual(['9']);
  const found = new Map(
    configurations[0]?.groups[0]?.estimates.map((estimate) => [estimate.state, estimate] as const),
  );
  TRUTH.forEach((count, state) => {
    const { estimate = NaN, variance = NaN } = found.get(String(state)) ?? {};
    expect(Math.abs(estimate - count)).toBeLessThan(STANDARD_ERRORS * Math.sqrt(variance));
    // The noise is small enough for the test to tell the bins apart.
    expect(STANDARD_ERRORS * Math.sqrt(variance)).toBeLessThan(100);
  });
});
