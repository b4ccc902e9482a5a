import type { EstimateJson } from '../../../analysis/estimate/result/group-result';
import { reportsRange } from '../../../collector/dashboard/client/late-reports';
import type * as Words from '../../../collector/dashboard/client/estimate-words';

describe.each([
  [
    'en',
    'All: not enough sources (0 % to 100 %), 25 % raw.',
    /^All: 25\D*% estimated \(.*\), 25\D*% raw\.$/,
    'not enough sources',
    'conversions made by noise: 3.8 on average; counted: 0',
  ],
  [
    'de',
    'Alle: zu wenige Quellen (0 % bis 100 %), 25 % roh.',
    /^Alle: 25\D*% geschätzt \(.*\), 25\D*% roh\.$/,
    'zu wenige Quellen',
    'Conversions durch Rauschen: im Mittel 3,8; gezählt: 0',
  ],
])('in %s, an estimate', (language, unknown, known, tooFew, noNoise) => {
  let words: typeof Words;

  beforeAll(async () => {
    Object.assign(globalThis, {
      document: { documentElement: { lang: language } },
      navigator: { languages: [language] },
    });
    await jest.isolateModulesAsync(async () => {
      words = await import('../../../collector/dashboard/client/estimate-words');
    });
  });

  const rateOf = (
    estimate: number | null,
    interval: readonly [number | null, number | null],
  ): EstimateJson => ({
    ...{ quantity: 'conversion-rate', observed: 0.25, noise: 0.1, noise_share: 0.4 },
    ...{ estimate, unbiased: 0.25, variance: 1, noise_variance: 0.5, interval },
  });
  const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
  const said = (of: EstimateJson): string => plain(words.allGroups(of));
  const cells = (of: EstimateJson): readonly string[] | undefined =>
    words.numbersOf('', [{ label: 'one', estimate: of }], true).rows[0]?.map(plain);

  test('over all sources is no number if anything is possible', () => {
    expect(said(rateOf(null, [0, 1]))).toBe(unknown);
  });

  test('over all sources is one if not', () => {
    expect(said(rateOf(0.25, [0, 0.5]))).toMatch(known);
  });

  test('of conversions has no share of noise if none were counted, and at most all of those that were', () => {
    const noiseIn = (observed: number): readonly string[] => {
      const { share, meaning } = words.expectedNoise({ ...rateOf(0, [0, 1]), observed, noise: 3.8 });
      return [share, meaning].map(plain);
    };
    expect(noiseIn(0)).toEqual(['–', noNoise]);
    expect(noiseIn(2)[0]).toBe('100 %');
    expect(noiseIn(38)[0]).toBe('10 %');
  });

  test('is no number of a chart if anything is possible', () => {
    expect(cells(rateOf(null, [0, 1]))?.slice(1, 5)).toEqual(['25 %', tooFew, '0 %', '100 %']);
    expect(cells(rateOf(null, [null, null]))?.slice(2, 5)).toEqual(['–', '–', '–']);
    expect(cells(rateOf(0.25, [0, 0.5]))?.slice(2, 5)).toEqual(['25 %', '0 %', '50 %']);
    const { estimated } = words.factsOf(rateOf(null, [0, 1]));
    expect(estimated).toBe(tooFew);
  });
});

// Plot draws a bar from 0 to 0 as long as the chart if nothing else is in it.
test('bars of delays without reports have no length', () => {
  const delays = (...reports: readonly number[]): readonly { readonly reports: number }[] =>
    reports.map((count) => ({ reports: count }));
  expect(reportsRange(delays(0, 0))).toEqual([0, 1]);
  expect(reportsRange(delays())).toEqual([0, 1]);
  expect(reportsRange(delays(7, 40, 2))).toEqual([0, 40]);
});
