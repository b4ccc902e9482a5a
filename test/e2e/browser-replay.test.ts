import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { requireBrowserCan } from '../../scenarios/replay/in-browser';
import { seededRandomSource } from '../../src/privacy/random-source';
import { replay } from '../../src/scenario/replay';
import type { Scenario, ScenarioReport } from '../../src/scenario/scenario';
import { canonical } from '../conformance/canonical';
import { scenarioFiles } from '../conformance/scenario-files';
import { browsers } from './helpers/world';

/** One of each kind of request, delivery, and hook; `npm test -- --only browser-replay` replays every file there is. */
const some = [
  'channel-capacity-navigation.json',
  'debug-copy-at-once.json',
  'destination-not-trustworthy-refused.json',
  'epsilon-sets-the-rate.json',
  'flexible-fake-reports-of-specs-with-own-windows.json',
  'flexible-priority-displaces-across-windows.json',
  'header-both-on-a-request-for-both.json',
  'header-redirects-register-one-by-one.json',
  'header-source-needs-eligible-request.json',
  'header-trigger-needs-eligible-request.json',
  'limit-attributions-window.json',
  'limit-reporting-origins-per-site.json',
  'retry-after-fifteen-more-minutes.json',
  'retry-no-fourth-time.json',
  'windows-half-open.json',
];

const all = process.env['COINTOSS_REPLAY'] === 'all';
jest.setTimeout(all ? 3_600_000 : 240_000);

const files = scenarioFiles().filter(({ name, scenario }) =>
  all ? isPossible(scenario) : some.includes(name),
);

function isPossible(scenario: Scenario): boolean {
  try {
    requireBrowserCan(scenario);
    return true;
  } catch {
    return false;
  }
}

const comparable = (reports: readonly ScenarioReport[]): readonly string[] =>
  reports.map((report) => canonical({ ...report }).replace(/"report_id":"[^"]*",?/g, '')).sort();

const root = path.resolve(__dirname, '../..');

/** `cointoss replay ARGUMENTS…` */
const command = (...options: string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, [path.join(root, 'cli/cointoss.mjs'), 'replay', ...options], {
    maxBuffer: 2 ** 28,
  });

describe.each(browsers)('cointoss replay --browser %s', (browser) => {
  it('gives the same reports as the engine alone', async () => {
    expect(files.length).toBeGreaterThanOrEqual(some.length);
    const { stdout } = await command('--browser', browser, ...files.map(({ file }) => file));
    const lines = stdout.trimEnd().split('\n');
    const actual = lines.map(
      (line) => JSON.parse(line) as { file: string; reports: readonly ScenarioReport[] },
    );
    const expected = [];
    for (const { file, scenario } of files) {
      const random = (stream: number): ReturnType<typeof seededRandomSource> =>
        seededRandomSource('browser-replay', stream);
      expected.push({ file, reports: comparable(await replay(scenario, { noise: false, random })) });
    }
    expect(actual.map(({ file, reports }) => ({ file, reports: comparable(reports) }))).toEqual(expected);
  });
});

describe('cointoss replay --browser', () => {
  it('refuses in one line, with exit code 2, what no browser does', async () => {
    const file = path.join(root, 'test/conformance/cases/fenced-has-no-verbose-reports.json');
    await expect(command('--browser', 'chrome', file)).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: `cointoss: ${file}: input.registrations[0].registration_request.fenced: cannot be replayed in a browser: browsers have no fenced frames any more\n`,
    });
  });
});
