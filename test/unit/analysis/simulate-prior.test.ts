import { readFileSync } from 'node:fs';
import { main } from '../../../cli/main';
import { priorParameter } from '../../../src/privacy/parameters';
import { useCommands } from '../helpers/command';

const { out, err, file } = useCommands();

const registration = {
  destination: 'https://shop.example',
  max_event_level_reports: 2,
  event_level_epsilon: 14,
  trigger_specs: [
    {
      trigger_data: [0],
      summary_operator: 'value_sum',
      summary_buckets: [5, 10],
      event_report_windows: { end_times: [86_400] },
    },
  ],
};

/** Sources of different people, of which the first has a conversion of value 7. */
const lines = [0, 1, 2].flatMap((person) => {
  const request = (at: number, context: string, eligible: string, header: object): object => ({
    user: `person ${person}`,
    timestamp: String(at),
    registration_request: { context_origin: context, 'Attribution-Reporting-Eligible': eligible },
    responses: [{ url: 'https://ads.example/', response: header }],
  });
  const shown = request(0, 'https://news.example', 'navigation-source', {
    'Attribution-Reporting-Register-Source': { ...registration, source_event_id: String(person) },
  });
  const bought = request(1000, 'https://shop.example', 'trigger', {
    'Attribution-Reporting-Register-Trigger': { event_trigger_data: [{ trigger_data: '0', value: 7 }] },
  });
  return person === 0 ? [shown, bought] : [shown];
});
const log = lines.map((line) => JSON.stringify(line)).join('\n');

const labelNoise = { kind: 'rr-on-bins', values: [0, 5, 10], prior: [0.2, 0.4, 0.4], loss: 'squared' };
/** 900 times nothing, 90 times 7, ten times 50. */
const past = `value\n${'0\n'.repeat(900)}${'7\n'.repeat(90)}${'50\n'.repeat(10)}`;

interface Row {
  readonly epsilon: number;
  readonly prior_epsilon?: number;
  readonly mechanism: { readonly kind: string; readonly prior: readonly (number | string)[] };
}

/** Runs `simulate` with a private prior. @returns its exit code, and the names of its files. */
async function simulated(
  settings: object,
  options: readonly string[],
): Promise<{ readonly code: number; readonly sources: string; readonly reports: string }> {
  const [sources, reports] = [file('sources.ndjson', ''), file('reports.ndjson', '')];
  const code = await main([
    'simulate',
    ...['--input', file('log.ndjson', log), '--output', reports, '--sources-output', sources],
    ...['--settings', file('settings.json', JSON.stringify(settings)), '--seed', '1', '--threads', '1'],
    ...options,
  ]);
  return { code, sources, reports };
}

const withPrior = (split: string, epsilon = '1'): readonly string[] => [
  ...['--prior-file', file('past.csv', past), '--prior-column', 'value'],
  ...['--prior-epsilon', epsilon, '--prior-split', split],
];

const rowsOf = (sources: string): readonly Row[] =>
  readFileSync(sources, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

test('a prior out of the budget: outputs have the rest, and estimate knows the mechanism', async () => {
  const { code, sources, reports } = await simulated(
    { labelNoise, budget: { epsilon: 3 } },
    withPrior('budget'),
  );
  expect([code, err.filter((line) => line.startsWith('cointoss: simulate'))]).toEqual([0, []]);
  const rows = rowsOf(sources);
  expect(rows).toHaveLength(3);
  for (const { epsilon, prior_epsilon: ofPrior = NaN, mechanism } of rows) {
    expect(ofPrior).toBe(1);
    expect(epsilon + ofPrior).toBeLessThanOrEqual(3);
    expect(epsilon + ofPrior).toBeCloseTo(3, 9);
    expect(mechanism.kind).toBe('rr-on-bins');
    // At ε = 1, noise in a count exceeds 40 with a probability below e^−20.
    const [none = NaN, five = NaN, ten = NaN] = priorParameter(mechanism.prior).map((x) => x.toNumber());
    expect(Math.abs(none - 0.9)).toBeLessThan(0.08);
    expect(Math.abs(five - 0.09)).toBeLessThan(0.08);
    expect(Math.abs(ten - 0.01)).toBeLessThan(0.08);
    expect(mechanism.prior).toEqual(rows[0]?.mechanism.prior);
  }
  expect(await main(['estimate', '--reports', reports, '--sources', sources])).toBe(0);
  const { configurations } = JSON.parse(out.join('')) as {
    readonly configurations: readonly { readonly mechanism: string; readonly epsilon: number }[];
  };
  expect(configurations).toEqual([
    expect.objectContaining({ mechanism: 'rr-on-bins', epsilon: expect.closeTo(2, 9) as number }),
  ]);
});

test('a prior from other people costs these nothing, and has noise', async () => {
  const { values, prior } = labelNoise;
  const settings = { labelNoise: { kind: 'unbiased', values, prior }, budget: { epsilon: 3 } };
  const found = await simulated(settings, withPrior('people', '0.01'));
  expect(found.code).toBe(0);
  const [row] = rowsOf(found.sources);
  expect(row?.epsilon).toBe(3);
  expect(row?.prior_epsilon).toBeUndefined();
  // Noise has the scale 200.
  const [none = NaN] = priorParameter(row?.mechanism.prior ?? []).map((x) => x.toNumber());
  expect(none).not.toBeCloseTo(901 / 1003, 6);
});

test.each<[string, object, () => readonly string[], RegExp]>([
  ['no column', { labelNoise }, () => ['--prior-file', 'past.csv'], /--prior-file, --prior-column and/],
  [
    'no prior to make',
    { budget: { epsilon: 3 } },
    () => withPrior('people'),
    /must have a labelNoise of kind/,
  ],
  ['no budget', { labelNoise }, () => withPrior('budget'), /must have a budget\.epsilon of more than 1/],
  [
    'too small a budget',
    { labelNoise, budget: { epsilon: 1 } },
    () => withPrior('budget'),
    /budget\.epsilon of more than 1/,
  ],
  ['no ε', { labelNoise }, () => withPrior('people', '0'), /--prior-epsilon must be greater than 0/],
  [
    'values that do not begin with 0',
    { labelNoise: { ...labelNoise, values: [1, 5, 10] } },
    () => withPrior('people'),
    /values/,
  ],
])('is refused with %s', async (_, settings, options, message) => {
  const { code } = await simulated(settings, options());
  expect([code, err.join('')]).toEqual([2, expect.stringMatching(message)]);
});
