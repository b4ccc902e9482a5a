import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';

const { out, err, file, pathOf } = useCommands();

/** Each of at most 60 views of a person has ε = 8, which leaves little noise. */
const settings = {
  liftTest: { campaign: 'campaign', holdout: 0.5 },
  budget: { unit: 'user-advertiser', period: 90, epsilon: 480, cap: 60 },
  aggregatableReports: false,
};

const run = async (...words: readonly string[]): Promise<number> => {
  out.length = err.length = 0;
  return main(words);
};

interface FoundLift {
  readonly lift: {
    readonly event_level: {
      readonly caused: { readonly estimate: number };
      readonly lift: { readonly estimate: number; readonly interval: readonly [number, number] };
    };
  };
}

/** The log of both tests below, which takes as long to make as to simulate. */
const made = mkdtempSync(path.join(tmpdir(), 'cointoss-arms-'));
const MADE = path.join(made, 'log.ndjson');
afterAll(() => rmSync(made, { recursive: true }));

/** The lift of a log whose arms the devices of `simulate` draw; at a level of 1 − 1e-7. */
async function measured(simulatedSeed: string, ...more: readonly string[]): Promise<FoundLift['lift']> {
  const [reports, sources] = ['reports.ndjson', 'sources.ndjson'].map(pathOf) as [string, string];
  const set = file('settings.json', settings);
  if (!existsSync(MADE)) {
    const words = ['--users', '2000', '--lift', '1', '--rate', '0.3', '--seed', 'a', '--settings', set];
    expect(await run('generate', ...words, '--output', MADE)).toBe(0);
  }
  const outputs = ['--output', reports, '--sources-output', sources];
  expect(await run('simulate', '--input', MADE, '--settings', set, '--seed', simulatedSeed, ...outputs)).toBe(
    0,
  );
  const compared = ['--holdout', '0.5', '--arms', '0,1', '--level', '0.9999999'];
  expect(await run('estimate', '--reports', reports, '--sources', sources, ...compared, ...more)).toBe(0);
  return (JSON.parse(out.join('')) as FoundLift).lift;
}

test('estimate finds the lift of a log whose arms the devices of simulate draw', async () => {
  const { event_level: found } = await measured('a');
  expect(found.lift.interval[0]).toBeGreaterThan(0.2);
  expect(found.lift.interval[0]).toBeLessThan(1);
  expect(found.lift.interval[1]).toBeGreaterThan(1);
  // Neither header has an arm: nobody but the devices knows them.
  expect(readFileSync(MADE, 'utf8')).not.toMatch(/"arm":\["(exposed|holdout)"\]\}?,"prio/);
});

test('with another seed, the devices of simulate draw other arms, which have no lift', async () => {
  const { interval } = (await measured('b')).event_level.lift;
  expect(interval[0]).toBeLessThan(0);
  expect(interval[1]).toBeGreaterThan(0);
  expect(interval[1]).toBeLessThan(0.7);
});

test.each<[string, object, readonly string[], RegExp]>([
  ['settings without a test', { ...settings, liftTest: null }, [], /settings\.json: liftTest: must be/],
  [
    'a test in two periods',
    { ...settings, budget: { ...settings.budget, period: 7 } },
    [],
    /budget\.period: .* of 7 days ends on 2026-01-08T/,
  ],
  ['a share beside that of the settings', settings, ['--holdout', '0.5'], /--holdout/],
  ['several people on a device', settings, ['--people-per-device', '2'], /--people-per-device/],
])('refuses %s', async (_, set, more, message) => {
  const made = ['--users', '4', '--lift', '1', '--settings', file('settings.json', set)];
  expect(await run('generate', ...made, ...more, '--output', pathOf('log.ndjson'))).toBe(2);
  expect(err.join('')).toMatch(message);
});

test('refuses settings without a lift', async () => {
  expect(await run('generate', '--users', '4', '--settings', file('settings.json', settings))).toBe(2);
  expect(err.join('')).toContain('--settings: needs --lift');
});
