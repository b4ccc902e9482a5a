import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requireBrowserCan } from '../../scenarios/replay/in-browser';
import { seededRandomSource } from '../../analysis/random/sources';
import { replay } from '../../analysis/scenario/replay';
import { replayCalls } from '../../analysis/scenario/calls/replay-calls';
import type { Replayed, Scenario, ScenarioReport } from '../../analysis/scenario/scenario';
import { canonical } from '../../formats/codec/plain-json';
import { scenarioFiles } from '../conformance/scenario-files';
import { browsersOfRun, isLong } from './helpers/world';

/** One of each kind of request, delivery, and hook; `npm run soak -- browser-replay` replays every file there is, in both browsers. */
const some: readonly string[] = [
  'aggregatable-debug-key-of-null-report.json',
  'aggregatable-retry-not-of-debug-copies.json',
  'debug-report-of-both-halves.json',
  'flexible-fake-reports-of-specs-with-own-windows.json',
  'header-both-on-a-request-for-both.json',
  'header-redirects-register-one-by-one.json',
  'w3c-beside-registrations.json',
  'windows-half-open.json',
];

if (isLong) jest.setTimeout(3_600_000);

const files = scenarioFiles().filter(({ name, scenario }) =>
  isLong ? isPossible(scenario) : some.includes(name),
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

/** A source and its conversion with text that is not ASCII, and a header that is refused, which a debug report quotes. */
const inAnyLanguage = {
  input: {
    registrations: [
      {
        timestamp: '0',
        registration_request: {
          context_origin: 'https://news.example',
          'Attribution-Reporting-Eligible': 'navigation-source',
        },
        responses: [
          {
            url: 'https://ads.example/s',
            response: {
              'Attribution-Reporting-Register-Source': {
                destination: 'https://shop.example',
                filter_data: { a: ['漢'] },
              },
            },
            randomized_response: null,
          },
        ],
      },
      {
        timestamp: '1000',
        registration_request: { context_origin: 'https://shop.example' },
        responses: [
          {
            url: 'https://ads.example/t',
            response: {
              'Attribution-Reporting-Register-Trigger': {
                event_trigger_data: [{ trigger_data: '5' }],
                filters: { a: ['漢'] },
              },
            },
          },
        ],
      },
      {
        timestamp: '2000',
        registration_request: { context_origin: 'https://shop.example' },
        responses: [
          {
            url: 'https://ads.example/t',
            response: {
              'Attribution-Reporting-Info': 'report-header-errors',
              'Attribution-Reporting-Register-Trigger': '"漢 é 🪙',
            },
          },
        ],
      },
    ],
  },
};

describe.each(browsersOfRun)('cointoss replay --browser %s', (browser) => {
  it('gives the same reports as the engine alone, of headers in any language, too', async () => {
    expect(files.length).toBeGreaterThanOrEqual(some.length);
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-replay-'));
    const file = path.join(folder, 'a.json');
    await writeFile(file, JSON.stringify(inAnyLanguage));
    const { stdout } = await command('--browser', browser, ...files.map((one) => one.file), file);
    const { stdout: inEngine } = await command(file);
    await rm(folder, { recursive: true });
    const lines = [...stdout.trimEnd().split('\n'), inEngine];
    const replayed = lines.map(
      (line) =>
        ({ histograms: [], ...(JSON.parse(line) as object) }) as unknown as Replayed & {
          readonly file: string;
        },
    );
    const compared = replayed.map(({ file: of, reports, histograms }) => ({
      file: of,
      reports: comparable(reports),
      histograms,
    }));
    const [inAnyLanguageByBrowser, inAnyLanguageByEngine] = compared.splice(files.length);
    expect(inAnyLanguageByEngine?.reports).toHaveLength(2);
    expect(inAnyLanguageByBrowser).toEqual(inAnyLanguageByEngine);
    const expected = [];
    for (const { file: of, scenario } of files) {
      const random = (stream: number): ReturnType<typeof seededRandomSource> =>
        seededRandomSource('browser-replay', stream);
      const reports = await replay(scenario, { noise: false, random });
      const histograms = replayCalls(scenario.w3c, { random: null });
      expected.push({ file: of, reports: comparable(reports), histograms });
    }
    expect(compared).toEqual(expected);
  });
});

test('cointoss replay --browser refuses in one line, with exit code 2, what no browser does', async () => {
  const file = path.join(root, 'test/conformance/cases/fenced-has-no-verbose-reports.json');
  await expect(command('--browser', 'chrome', file)).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: `cointoss: ${file}: input.registrations[0].registration_request.fenced: cannot be replayed in a browser: browsers have no fenced frames any more\n`,
  });
});
