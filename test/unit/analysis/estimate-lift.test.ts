import { main } from '../../../cli/main';
import { liftOf, type ArmEstimate } from '../../../analysis/estimate/lift/lift';
import { doubtOfShare, doubtValues } from '../../../analysis/estimate/lift/measured-lifts';
import { fixed } from '../../../analysis/report/mean-with-error';
import { days } from '../../../src/model/units';
import { estimates as english } from '../../../words/english/estimates';
import { estimates as german } from '../../../words/german/estimates';
import { sayer } from '../../../words/say';
import { useCommands } from '../helpers/command';
import { ADTECH, START } from '../helpers/engine';
import { DESTINATION } from '../helpers/parsing';

const { out, err, file } = useCommands();

const armOf = (id: number): string => (id % 4 === 0 ? 'holdout' : 'exposed');

const sources = Array.from({ length: 400 }, (_, id) => ({
  source_event_id: String(id),
  reporting_origin: ADTECH,
  destination: DESTINATION,
  source_type: 'event',
  time: START,
  registration: { trigger_data: [0] },
  arm: armOf(id),
}));

const reportOf = (id: string): object => ({
  attribution_destination: DESTINATION,
  source_event_id: id,
  source_type: 'event',
  trigger_data: '0',
  report_id: `report ${id}`,
  randomized_trigger_rate: 1.66e-6,
  scheduled_report_time: String((START + days(30)) / 1000),
  kind: 'event-level',
  reporting_origin: ADTECH,
});

/** A tenth of those who were held out converts, and a fifth of the others. */
const reports = sources
  .filter((_, id) => (id % 4 === 0 ? id % 40 === 0 : id % 5 === 1))
  .map(({ source_event_id: id }) => reportOf(id));

/** As `aggregate --slices arm` writes them. */
const slices = (exposed: number, holdout: number): readonly object[] =>
  Object.entries({ exposed, holdout }).map(([arm, value]) => ({
    ...{ consistent: value, consistent_error: 2, consistent_low: value - 4, consistent_high: value + 4 },
    slice: `arm=${arm}`,
  }));

const estimated = (...more: string[]): Promise<number> =>
  main(['estimate', '--reports', file('r.ndjson', reports), '--sources', file('s.ndjson', sources), ...more]);

const arms = ['--group-by', 'arm', '--holdout', '0.25'];

/** The warning about a share of people who were held out, with this many sources in the arms. */
const doubtOf = (exposed: number, holdout: number, held: number): ReturnType<typeof doubtOfShare> => {
  const totals = Object.entries({ exposed, holdout }).map(([arm, sources]) => ({ group: { arm }, sources }));
  return doubtOfShare({ totals }, held);
};

test('a share that the sources of the arms contradict is doubted, and one that they allow is not', () => {
  expect(doubtOf(9000, 1000, 0.5)).toEqual({ sources: 10_000, share: 0.1 });
  expect(doubtOf(1000, 9000, 0.5)).toEqual({ sources: 10_000, share: 0.9 });
  expect(doubtOf(9000, 1000, 0.1)).toBeNull();
  // 500 people with 20 sources each, of whom chance held out 40 % instead of half.
  expect(doubtOf(6000, 4000, 0.5)).toBeNull();
  // Nothing is known of an arm whose sources nobody logged.
  expect(doubtOf(10_000, 0, 0.5)).toBeNull();
});

test('two shares that differ are told with so many digits that this shows', () => {
  const doubted = { sources: 400, share: 0.010_001 };
  expect(doubtValues(doubted, 0.5)).toEqual({ sources: 400, share: 1, held: 50 });
  expect(doubtValues(doubted, 0.01)).toEqual({ sources: 400, share: 1.0001, held: 1 });
  const values = doubtValues(doubted, 0.01);
  expect(sayer('en', english)('lift-doubt', values)).toContain('1.0001 % are of the holdout arm, not 1 %.');
  expect(sayer('de', german)('lift-doubt', values)).toContain('1,0001 % zur Holdout-Gruppe, nicht 1 %.');
});

test('the command warns of a share that the sources contradict', async () => {
  expect(await estimated('--group-by', 'arm', '--holdout', '0.99')).toBe(0);
  expect(err.join('')).toContain('--holdout: Of 400 sources, 25 % are of the holdout arm, not 99 %.');
  expect(err.join('')).toMatch(/such as clicks.* many more sources/);
  expect(JSON.parse(out.splice(0).join(''))).toMatchObject({
    lift: { holdout: 0.99, doubt: { sources: 400, share: 0.25 } },
  });
  err.length = 0;
  expect(await estimated(...arms)).toBe(0);
  expect(JSON.parse(out.join(''))).toMatchObject({ lift: { doubt: null } });
  expect(err.join('')).toBe('');
});

test('a number that rounds to zero has no sign', () => {
  expect([fixed(-1e-9, 1), fixed(-1e-9, 0), fixed(-0.06, 1), fixed(-10, 0)]).toEqual([
    '0.0',
    '0',
    '-0.1',
    '-10',
  ]);
});

test('each kind of report says what the ads caused', async () => {
  const summary = file('summary.ndjson', slices(70, 15));
  const histogram = file('histogram.ndjson', slices(50, 5));
  expect(await estimated(...arms, '--summary', summary, '--histogram', histogram)).toBe(0);
  const { lift, totals } = JSON.parse(out.join('')) as {
    readonly lift: Record<string, { caused: { estimate: number; interval: number[] }; lift: object }>;
    readonly totals: readonly {
      readonly group: { readonly arm?: string };
      readonly estimates: readonly { readonly quantity: string; readonly unbiased: number }[];
    }[];
  };
  const expected = (exposed: ArmEstimate, holdout: ArmEstimate): object => {
    const found = liftOf({ exposed, holdout, held: 0.25 }, 0.95);
    return { caused: found.caused, lift: { estimate: found.lift, interval: found.interval } };
  };
  expect(lift).toMatchObject({
    holdout: 0.25,
    summary: expected({ estimate: 70, variance: 4 }, { estimate: 15, variance: 4 }),
    histogram: expected({ estimate: 50, variance: 4 }, { estimate: 5, variance: 4 }),
  });
  const conversions = (arm: string): number =>
    totals
      .find(({ group }) => group.arm === arm)
      ?.estimates.find(({ quantity }) => quantity === 'conversions')?.unbiased ?? NaN;
  // The noise of ε = 14 is next to nothing.
  expect([conversions('exposed'), conversions('holdout')]).toEqual([
    expect.closeTo(60, 1),
    expect.closeTo(10, 1),
  ]);
  const { caused } = lift['event_level'] ?? {};
  expect(caused?.estimate).toBeCloseTo(conversions('exposed') - 3 * conversions('holdout'), 6);
  const nearly = liftOf(
    { exposed: { estimate: 60, variance: 0 }, holdout: { estimate: 10, variance: 0 }, held: 0.25 },
    0.95,
  );
  expect(caused?.interval[0]).toBeCloseTo(nearly.caused.interval[0], 0);
});

test('the table begins with the lift', async () => {
  const histogram = file('histogram.ndjson', slices(50, 5));
  expect(await estimated(...arms, '--histogram', histogram, '--table')).toBe(0);
  const lines = out.join('').split('\n');
  expect(lines[0]).toBe('Lift by arm, with 25 % of the people held out:');
  expect(lines.slice(2, 4).map((line) => line.trim().split(/ {2,}/).slice(0, 2))).toEqual([
    ['event-level', '30.0'],
    ['W3C', '35.0'],
  ]);
});

test('sums that say nothing have no ends, in no word of a programming language', async () => {
  const unknown = slices(50, 5).map((one) => ({ ...one, consistent_error: 1e100 }));
  expect(await estimated(...arms, '--histogram', file('histogram.ndjson', unknown), '--table')).toBe(0);
  const text = out.join('');
  expect(text).not.toMatch(/Infinity|NaN/);
  expect(text).toMatch(/W3C {2,}35\.0 {2,}−∞ to ∞ {2,}233 % {2,}-100 % to ∞/);
});

interface EventLevel {
  readonly lift: {
    readonly event_level: { readonly caused: { readonly interval: readonly number[] } } | null;
  };
}

/** What event-level reports say, as JSON. */
async function byReports(run: () => Promise<number>, code = 0): Promise<EventLevel['lift']['event_level']> {
  out.length = 0;
  expect(await run()).toBe(code);
  return (JSON.parse(out.join('')) as EventLevel).lift.event_level;
}

const withLost =
  (lost: string, ...more: string[]) =>
  (): Promise<number> =>
    estimated(...arms, '--lost', lost, ...more);

test('an uncertain share of lost reports makes the interval longer than the same share, known', async () => {
  const [known, uncertain] = [await byReports(withLost('0.3')), await byReports(withLost('30/100'))];
  const [low = NaN, high = NaN] = known?.caused.interval ?? [];
  expect(uncertain?.caused.interval[0]).toBeLessThan(low - 1);
  expect(uncertain?.caused.interval[1]).toBeGreaterThan(high + 1);
});

describe('there is no lift where', () => {
  const isUnknown = async (run: () => Promise<number>, code = 0): Promise<void> =>
    expect(await byReports(run, code)).toBeNull();

  // 60 would be 6 % of more reports than 300 sources can send.
  test('the given share of lost reports does not fit', async () => {
    await isUnknown(withLost('0.94'), 2);
    out.length = 0;
    expect(await withLost('0.94', '--table')()).toBe(2);
    expect(out.join('')).toMatch(
      /^Lift by arm, .* held out:\n {2}unknown: no interval of both arms holds\n\n/,
    );
  });

  test('an arm can have any number of conversions', () => {
    const registration = { trigger_data: [0], event_level_epsilon: 0.05 };
    const noisy = sources.map((one) => ({ ...one, registration }));
    // Of two outputs.
    const randomized_trigger_rate = 2 / (1 + Math.exp(0.05));
    const half = sources.flatMap(({ source_event_id: id }, nth) =>
      nth % 8 < 4 ? [{ ...reportOf(id), randomized_trigger_rate }] : [],
    );
    const read = ['--reports', file('half.ndjson', half), '--sources', file('noisy.ndjson', noisy)];
    return isUnknown(() => main(['estimate', ...read, ...arms]));
  });
});

test.each([
  ['without groups', ['--holdout', '0.5'], 'must come with the column of the arms'],
  ['with a share of everybody', ['--group-by', 'arm', '--holdout', '1'], '--holdout'],
  [
    'by another column',
    ['--group-by', 'destination', '--holdout', '0.5'],
    'must have groups "exposed" and "holdout" by destination, whose conversions are all counted; there is no "exposed" and no "holdout"',
  ],
])('refuses to compare arms %s', async (_, words, message) => {
  expect(await estimated(...words)).toBe(2);
  expect(err.join('')).toContain(message);
});

test('refuses arms whose conversions are not counted, with their configuration', async () => {
  const summing = { trigger_data: [0], summary_operator: 'value_sum', summary_buckets: [10] };
  const valued = sources.map((source) =>
    source.arm === 'holdout' ? { ...source, registration: { trigger_specs: [summing] } } : source,
  );
  const read = ['--reports', file('r.ndjson', reports), '--sources', file('s.ndjson', valued)];
  expect(await main(['estimate', ...read, ...arms])).toBe(2);
  expect(err.join('')).toMatch(/all counted; those of configuration [^,]+ are not\n$/);
});

describe('where devices draw the arms, the trigger data say them:', () => {
  const drawn = sources.map((source) => ({
    ...source,
    registration: { trigger_data: [0, 1], max_event_level_reports: 1, event_level_epsilon: 1 },
  }));
  /** Three outputs: no report, or one of two data. */
  const replaced = 3 / (2 + Math.E);
  const [seenExposed, seenHoldout] = [130, 90];
  const answers = drawn.slice(0, seenExposed + seenHoldout).map(({ source_event_id: id }, index) => ({
    ...reportOf(id),
    trigger_data: index < seenExposed ? '0' : '1',
    randomized_trigger_rate: replaced,
  }));
  const estimate = (...more: string[]): Promise<number> =>
    main(['estimate', '--reports', file('r.ndjson', answers), '--sources', file('s.ndjson', drawn), ...more]);

  test('the noise of both arms is of the same reports', async () => {
    expect(await estimate('--holdout', '0.25', '--arms', '0,1')).toBe(0);
    const { lift } = JSON.parse(out.join('')) as {
      readonly lift: { readonly event_level: { readonly caused: { readonly interval: readonly number[] } } };
    };
    const [n, each, kept] = [drawn.length, replaced / 3, 1 - replaced];
    const [exposed, holdout] = [seenExposed, seenHoldout].map((seen) => (seen - n * each) / kept) as [
      number,
      number,
    ];
    // Of sources without a conversion, with one that is asked for, and with another one.
    const variance = (own: number): number =>
      ((n - own) * each * (1 - each) + own * (kept + each) * (1 - kept - each)) / kept ** 2;
    const covariance =
      -((n - exposed - holdout) * each ** 2 + (exposed + holdout) * (kept + each) * each) / kept ** 2;
    const arms = {
      exposed: { estimate: exposed, variance: variance(exposed) },
      holdout: { estimate: holdout, variance: variance(holdout) },
      held: 0.25,
    };
    const expected = liftOf({ ...arms, covariance }, 0.95);
    const close = (value: number): unknown => expect.closeTo(value, 0);
    expect(lift.event_level).toMatchObject({
      caused: {
        estimate: close(expected.caused.estimate),
        interval: expected.caused.interval.map(close),
      },
    });
    // With independent noise, the interval would be too short.
    const independent = liftOf(arms, 0.95).caused.interval;
    expect(lift.event_level.caused.interval[0]).toBeLessThan(independent[0] - 5);
    expect(lift.event_level.caused.interval[1]).toBeGreaterThan(independent[1] + 5);
  });

  test.each<[string, readonly string[], string]>([
    ['no share', ['--arms', '0,1'], 'must come with --holdout'],
    ['one arm', ['--holdout', '0.5', '--arms', '0'], 'was "0"'],
    ['the same twice', ['--holdout', '0.5', '--arms', '1,1'], 'was "1,1"'],
    ['groups', ['--holdout', '0.5', '--arms', '0,1', '--group-by', 'source_type'], 'without --group-by'],
  ])('%s is refused', async (_, options, message) => {
    expect(await estimate(...options)).toBe(2);
    expect(err.join('')).toContain(message);
  });

  test.each<[string, readonly number[], string]>([
    ['lack a trigger data of the arms', [0, 1], '0,7'],
    ['report a third trigger data', [0, 1, 2], '0,1'],
  ])('sources that %s are refused, with their configuration', async (_, data, asked) => {
    const others = drawn.map((source) => ({
      ...source,
      registration: { ...source.registration, trigger_data: data },
    }));
    const read = ['--reports', file('r.ndjson', answers), '--sources', file('s.ndjson', others)];
    expect(await main(['estimate', ...read, '--holdout', '0.5', '--arms', asked])).toBe(2);
    expect(err.join('')).toMatch(
      new RegExp(`--arms: .* those of configuration \\S+ .*report ${data.join(', ')}, was "${asked}"`),
    );
  });

  test('an uncertain share of lost reports is refused, a known one is not', async () => {
    expect(await estimate('--holdout', '0.25', '--arms', '0,1', '--lost', '30/100')).toBe(2);
    expect(err.join('')).toContain('--arms: must come with one share of lost reports (--lost 0.300)');
    expect(await estimate('--holdout', '0.25', '--arms', '0,1', '--lost', '0.300')).toBe(0);
    expect(JSON.parse(out.join(''))).toMatchObject({
      lift: { event_level: { caused: expect.anything() as object } },
    });
  });
});
