import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { responseRates } from '../../../analysis/estimate/intervals/channel';
import { responseLossWeights } from '../../../analysis/estimate/likelihood/training-weights';
import { stateReader, valueReader } from '../../../analysis/learn/reported-labels';
import { main } from '../../../cli/main';
import { readLabels, type LabelLine } from '../../../cli/learn/labels-file';
import type { Json, JsonObject } from '../../../src/model/json';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { countStates } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { useCommands } from '../helpers/command';
import { accepted, parsedSource } from '../helpers/parsing';

const { err, pathOf, file } = useCommands();

const ROOT = path.join(__dirname, '../../..');
const HOUR = 3600;
const EPSILON = 2;

/** An impression each hour, of as many users. Every fourth converts after ten hours; the first window ends after a day. */
const ROWS = 400;
const converts = (row: number): boolean => row % 4 === 0;
const log = ['time,user,bought,at,place']
  .concat(
    Array.from({ length: ROWS }, (_, index) => {
      const at = converts(index) ? (index + 10) * HOUR : -1;
      return [index * HOUR, `u${index}`, converts(index) ? 1 : 0, at, index % 5].join(',');
    }),
  )
  .map((line) => `${line}\n`)
  .join('');

const source = { destination: 'https://shop.example', source_event_id: '{#}', event_level_epsilon: EPSILON };

const eventOf = (eligible: string | null, header: string, value: Json): Json => ({
  registration_request: {
    context_origin: eligible === null ? 'https://shop.example' : 'https://news.example',
    ...(eligible === null ? {} : { 'Attribution-Reporting-Eligible': eligible }),
  },
  responses: [{ url: 'https://ads.example/', response: { [header]: value } }],
});

/** How `simulate` reads the log: the source that each row registers, and what a conversion triggers. */
const mapOf = (registered: JsonObject, triggered: JsonObject): object => ({
  user: 'user',
  events: [
    {
      time: 'time',
      event: eventOf('event-source', 'Attribution-Reporting-Register-Source', {
        ...registered,
        event_report_windows: { end_times: [24 * HOUR] },
      }),
    },
    {
      when: { bought: '1' },
      time: 'at',
      event: eventOf(null, 'Attribution-Reporting-Register-Trigger', { event_trigger_data: [triggered] }),
    },
  ],
});

const simulateMap = mapOf(source, { trigger_data: '1' });

const dataMap = {
  time: { column: 'time', unit: 'seconds' },
  label: { kind: 'conversion', column: 'bought', at: { column: 'at', unit: 'seconds' } },
  features: [{ columns: ['place'], role: 'known', kind: 'hashed', buckets: 8 }],
  split: { training: 0.5, validation: 0.25 },
};

const cointoss = (...args: readonly string[]): string => {
  const { status, stderr } = spawnSync(process.execPath, ['cli/cointoss.mjs', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return `${status ?? ''} ${stderr}`;
};

/** Simulates the log, and takes the labels from its reports. */
async function makeLabels(
  options: readonly string[] = [],
  { events = simulateMap, data = dataMap }: { readonly events?: object; readonly data?: typeof dataMap } = {},
): Promise<readonly LabelLine[]> {
  const input = file('log.csv', log);
  const [reports, sources] = [pathOf('reports.ndjson'), pathOf('sources.ndjson')];
  const simulated = await main([
    ...['simulate', '--csv', '--map', file('simulate.json', events), '--input', input],
    ...['--output', reports, '--sources-output', sources, '--seed', 'labels', '--threads', '1', ...options],
  ]);
  expect(simulated).toBe(0);
  await makeExamples(data);
  expect(await labelsOf(sources, reports)).toBe(0);
  const lines = readFileSync(pathOf('labels'), 'utf8').trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kind: data.label.kind, epsilon: EPSILON });
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LabelLine);
}

async function makeExamples(data = dataMap): Promise<void> {
  const [input, map] = [file('log.csv', log), file('data.json', data)];
  const args = ['--input', input, '--map', map, '--output', pathOf('examples')];
  expect(await main(['learn', 'data', ...args])).toBe(0);
}

const labelsCommand = (sources: string, reports: string, output: string): readonly string[] =>
  `learn labels --data ${pathOf('examples')} --sources ${sources} --reports ${reports} --output ${output}`.split(
    ' ',
  );

/** @param sources names with a space between them, as the reports. */
const labelsOf = (sources: string, reports: string, output = pathOf('labels')): Promise<number> =>
  main(labelsCommand(sources, reports, output));

/** The training part ends with its last impression; a report is due when the window ends. */
const isComplete = ({ row }: LabelLine): boolean => row - 1 + 24 <= ROWS / 2 - 1;

test('labels are what the reports said when the training data end', async () => {
  const labels = await makeLabels(['--no-noise']);
  expect(labels).toHaveLength(ROWS / 2);
  expect(labels.map(({ row }) => row).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: ROWS / 2 }, (_, index) => index + 1),
  );
  for (const line of labels) {
    expect(line.label).toBe(isComplete(line) && converts(line.row - 1) ? 1 : 0);
    expect(line.debiased !== null).toBe(isComplete(line));
  }
  // Three states, of which two have a report.
  const { keep } = responseRates(3, epsilonOf(EPSILON));
  const debiased = (label: number): number => (label - ((1 - keep) * 2) / 3) / keep;
  for (const line of labels.filter(isComplete)) expect(line.debiased).toBeCloseTo(debiased(line.label), 10);
});

test('noise is in the labels, and its mean is not in the de-biased ones', async () => {
  const labels = (await makeLabels()).filter(isComplete);
  const truth = labels.filter(({ row }) => converts(row - 1)).length / labels.length;
  const meanOf = (of: (line: LabelLine) => number): number =>
    labels.reduce((sum, line) => sum + of(line), 0) / labels.length;
  expect(labels.filter(({ row, label }) => label === 1 && !converts(row - 1)).length).toBeGreaterThan(10);
  // The seed is fixed. With others, this is beyond five standard errors less than once in a million times.
  const { keep } = responseRates(3, epsilonOf(EPSILON));
  const error = Math.sqrt(1 / 4 / labels.length) / keep;
  expect(Math.abs(meanOf(({ debiased }) => debiased ?? NaN) - truth)).toBeLessThan(5 * error);
  // Plain labels are beyond that.
  expect(meanOf(({ label }) => label) - truth).toBeGreaterThan(0.05);

  const experiment = {
    data: 'examples',
    reports: { 'one day': 'labels' },
    seeds: 1,
    figures: [
      {
        title: 'Reports',
        methods: ['rr', 'reports'],
        configurations: ['one day'],
        debiased: [true, false],
        epsilons: [EPSILON],
      },
    ],
  };
  const output = pathOf('out');
  expect(cointoss('learn', '--experiment', file('experiment.json', experiment), '--output', output)).toMatch(
    /^0 /,
  );
  const rows = readFileSync(path.join(output, 'results.ndjson'), 'utf8').trim().split('\n');
  const byReports = rows
    .map((row) => JSON.parse(row) as Record<string, unknown>)
    .filter(({ method }) => method === 'reports');
  expect(byReports).toMatchObject([
    { configuration: 'one day', debiased: true, epsilon: EPSILON, spent_epsilon: EPSILON, spent_delta: 0 },
    { configuration: 'one day', debiased: false, epsilon: EPSILON },
  ]);

  const refused = async (change: object): Promise<string | undefined> => {
    const given = file('bad.json', { ...experiment, ...change });
    expect(await main(['learn', '--experiment', given, '--output', output])).toBe(2);
    return err.at(-1);
  };
  const [figure] = experiment.figures;
  expect(await refused({ figures: [{ ...figure, configurations: ['two days'] }] })).toContain(
    'bad.json: figures[0].configurations[0]: must be one of one day, was "two days"',
  );
  expect(await refused({ figures: [{ ...figure, configurations: undefined }] })).toContain(
    'bad.json: figures[0]: must have the field "configurations"',
  );
  expect(await refused({ figures: [{ ...figure, epsilons: undefined }] })).toContain(
    'bad.json: figures[0]: must have the field "epsilons"',
  );
  expect(await refused({ figures: [{ ...figure, examples: 'conversions' }] })).toContain(
    'bad.json: figures[0].examples: must be "all", was "conversions"',
  );
  expect(await refused({ data: undefined })).toContain('bad.json: must have the field "data"');
  const whole = readFileSync(pathOf('labels'), 'utf8').split('\n');
  writeFileSync(pathOf('labels'), whole.slice(0, -2).join('\n'));
  expect(await refused({})).toContain('labels: must be complete, as `learn labels` writes it');
  writeFileSync(pathOf('labels'), whole.slice(1).join('\n'));
  expect(await refused({})).toContain(`labels: line ${ROWS / 2}: labels: must be an integer from 199 to 199`);
  writeFileSync(pathOf('labels'), ['{"row":0,"label":1,"debiased":null}', ...whole].join('\n'));
  expect(await refused({})).toContain('labels: line 1: row: must be an integer from 1 to 400, was 0');
});

test('values come from mechanisms that give values', async () => {
  const specs = [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [5, 50] }];
  const registered = { ...source, trigger_specs: specs, max_event_level_reports: 2 };
  const events = mapOf(registered, { trigger_data: '0', value: 50 });
  const labelNoise = { kind: 'unbiased', values: [0, 5, 50], prior: [0.5, 0.25, 0.25] };
  const data = { ...dataMap, label: { ...dataMap.label, kind: 'value' } };
  const labels = await makeLabels(['--settings', file('settings.json', { labelNoise })], { events, data });
  // Each source reports once its window has ended, and not before.
  expect(labels).toHaveLength(ROWS / 2 - 24);
  expect(labels.every((line) => isComplete(line) && line.debiased === line.label)).toBe(true);
  const mean = labels.reduce((sum, { label }) => sum + label / labels.length, 0);
  const spread = labels.reduce((sum, { label }) => sum + (label - mean) ** 2 / labels.length, 0);
  const truth = (50 * labels.filter(({ row }) => converts(row - 1)).length) / labels.length;
  expect(Math.abs(mean - truth)).toBeLessThan(5 * Math.sqrt(spread / labels.length));
});

/** Writes each half of the lines of a file into a file of its own. @returns their names. */
const halvesOf = (name: string): string => {
  const lines = readFileSync(pathOf(name), 'utf8').match(/.+\n/g) ?? [];
  const middle = lines.length >> 1;
  return [lines.slice(0, middle), lines.slice(middle)]
    .map((half, index) => file(`${index}-${name}`, half.join('')))
    .join(' ');
};

test('labels are written as their name says, and the same from several files', async () => {
  await makeLabels();
  const [sources, reports] = [halvesOf('sources.ndjson'), halvesOf('reports.ndjson')];
  const expected = await readLabels(pathOf('labels'), ROWS);
  for (const name of ['labels.ndjson.gz', 'labels.zst']) {
    // Not in this process: Jest cannot load what compresses to Zstandard, which is a module.
    expect(cointoss(...labelsCommand(sources, reports, pathOf(name)))).toMatch(/^0 /);
    expect(await readLabels(pathOf(name), ROWS)).toEqual(expected);
  }
  for (const name of ['labels.csv', 'labels.tsv.gz', 'labels.parquet']) {
    expect(await labelsOf(sources, reports, pathOf(name))).toBe(2);
    expect(err.at(-1)).toContain(`${name}: must be a name for NDJSON`);
    expect(existsSync(pathOf(name))).toBe(false);
  }
});

test('a log of other sources is refused', async () => {
  await makeExamples();
  const row = {
    source_event_id: '1',
    reporting_origin: 'https://ads.example',
    source_type: 'event',
    time: 0,
    registration: { destination: 'https://shop.example' },
  };
  const reports = file('reports.ndjson', '');
  for (const [change, message] of [
    [{ source_event_id: '401' }, 'source_event_id: must be the number of a row of'],
    [{ source_event_id: '2' }, 'time: must be that of row 2 of'],
    [{ time: 'yesterday' }, 'time: '],
  ] as const) {
    const sources = file('other.ndjson', [{ ...row, ...change }]);
    expect(await labelsOf(sources, reports)).toBe(2);
    expect(err.at(-1)).toContain(`cointoss: ${sources}: line 1: ${message}`);
    const fitting = file('fitting.ndjson', [row]);
    expect(await labelsOf(`${fitting} ${sources}`, reports)).toBe(2);
    expect(err.at(-1)).toContain(`cointoss: ${sources}: line 1: ${message}`);
  }
  expect(await labelsOf(file('none.ndjson', ''), reports)).toBe(2);
  expect(err.at(-1)).toContain('none.ndjson: must have sources with ε above 0 in the training part of');
});

test.each([
  ['conversion', { destination: 'https://shop.example', max_event_level_reports: 2 }],
  ['number', { destination: 'https://shop.example', max_event_level_reports: 2 }],
  [
    'value',
    {
      destination: 'https://shop.example',
      trigger_specs: [{ trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [5, 50] }],
      max_event_level_reports: 2,
    },
  ],
] as const)('the mean of de-biased %ss over the noise is the true one', (kind, json) => {
  const registration = accepted(parsedSource(json, 'event'));
  const k = Number(countStates(shapeOf(registration)));
  const read = stateReader(kind, registration, k);
  const { keep } = responseRates(k, epsilonOf(EPSILON));
  const { own, other } = responseLossWeights(k, epsilonOf(EPSILON));
  const labels = Array.from({ length: k }, (_, state) => read?.(String(state), { own, others: other }));
  expect(new Set(labels.map((found) => found?.label))).toEqual(
    new Set({ conversion: [0, 1], number: [0, 1, 2], value: [0, 5, 50] }[kind]),
  );
  labels.forEach((truth) => {
    const uniform = labels.reduce((sum, found) => sum + (found?.debiased ?? NaN) / k, 0);
    expect(keep * (truth?.debiased ?? NaN) + (1 - keep) * uniform).toBeCloseTo(truth?.label ?? NaN, 9);
  });
});

test('noisy values are labels', () => {
  expect(valueReader('value', true)('12.5', null)).toEqual({ label: 12.5, debiased: 12.5 });
  expect(valueReader('number', false)('2', null)).toEqual({ label: 2, debiased: null });
  expect(valueReader('conversion', true)('12.5', null)).toEqual({ label: 1, debiased: null });
  const registration = accepted(parsedSource({ destination: 'https://shop.example' }, 'event'));
  // Reports without values do not tell them.
  expect(stateReader('value', registration, 3)).toBeNull();
});
