/* What `cointoss replay --browser` says, with a browser of fakes whose pages get no report. */
import { main } from '../../../cli/main';
import type { BrowserReplay } from '../../../scenarios/replay/browser-replay';
import type * as Run from '../../../scenarios/replay/run';
import { useCommands } from '../helpers/command';

const mockStarted: true[] = [];
const mockSent: { readonly kind: string }[] = [];
const mockSettings: { readonly liftTest: unknown }[] = [];

jest.mock('../../../scenarios/replay/browser-replay', () => ({
  BrowserReplay: {
    start: () => {
      mockStarted.push(true);
      const { BrowserRun } = jest.requireActual<typeof Run>('../../../scenarios/replay/run');
      const replay: BrowserReplay['replay'] = (scenario, options) => {
        const extension = {
          clear: jest.fn(),
          settings: (settings: { readonly liftTest: unknown }) =>
            Promise.resolve(mockSettings.push(settings)),
          send: (message: { readonly kind: string }) => {
            mockSent.push(message);
            return Promise.resolve({ nextReportTime: null });
          },
          w3c: { setLimits: jest.fn() },
        };
        const answer = (): unknown =>
          run.answer({
            method: 'POST',
            url: 'https://shop.example/cointoss-replay/said',
            headers: {},
            body: JSON.stringify({ report: null }),
          });
        const page = { goto: jest.fn(), mouse: { click: answer } };
        const collector = { origin: 'https://collector.example', key: null, answer: () => null };
        const run = new BrowserRun(scenario, options, { extension, page, collector } as unknown as Run.Stage);
        return run.play();
      };
      return Promise.resolve({ replay, close: jest.fn() });
    },
  },
}));

const { err, file } = useCommands();
beforeEach(() => {
  mockSent.length = 0;
  mockSettings.length = 0;
});

const scenario = (credit: readonly number[]): object => ({
  input: {
    registrations: [],
    w3c: [
      { timestamp: '1000', call: 'saveImpression', site: 'news.example', options: { histogramIndex: 1 } },
      {
        timestamp: '2000',
        call: 'measureConversion',
        site: 'shop.example',
        options: { histogramSize: 2 },
        credit,
      },
    ],
  },
});

test('a file that no browser can replay is refused before one starts', async () => {
  const fenced = 'test/conformance/cases/fenced-has-no-verbose-reports.json';
  mockStarted.length = 0;
  expect(await main(['replay', '--browser', 'chrome', fenced])).toBe(2);
  expect(err.join('')).toContain('fenced: cannot be replayed in a browser');
  expect(mockStarted).toEqual([]);
});

test('credit that can be is not mentioned', async () => {
  expect(await main(['replay', '--browser', 'chrome', file('a.json', scenario([1]))])).toBe(0);
  expect(err).toEqual([]);
});

test('credit that cannot be is drawn, which is said, and the exit code is 1', async () => {
  expect(await main(['replay', '--browser', 'chrome', file('b.json', scenario([2]))])).toBe(1);
  expect(err.join('')).toBe(
    `cointoss: ${file('b.json', scenario([2]))}: input.w3c[1].credit: must be 1 whole number with the sum 1, one for each impression that matches, was [2]; impressions may be missing; Cointoss draws it instead\n`,
  );
  const forced = mockSent.filter(({ kind }) => kind === 'force-w3c-credit');
  expect(forced).toEqual(Array(2).fill({ kind: 'force-w3c-credit', credit: null }));
});

test('a lift test is on only with a seed, from which the browser and the engine draw the same arms', async () => {
  const liftTest = { campaign: 'campaign', holdout: 0.5 };
  const budget = { unit: 'user', epsilon: 4, cap: 4 };
  const settings = { liftTest, budget, aggregatableReports: false };
  const path = file('c.json', { cointoss: { settings }, input: { registrations: [] } });
  expect(await main(['replay', '--browser', 'chrome', path])).toBe(0);
  expect(await main(['replay', '--browser', 'chrome', '--seed', 's', path])).toBe(0);
  expect(mockSettings.map((sent) => sent.liftTest)).toEqual([null, liftTest]);
});
