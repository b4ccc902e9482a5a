import type { EstimateJson } from '../../../analysis/estimate/group-result';

interface Totals {
  readonly allGroups: (of: EstimateJson) => string;
}

describe.each([
  ['en', 'All: not enough sources (0 % to 100 %), 25 % raw.', /^All: 25\D*% estimated \(.*\), 25\D*% raw\.$/],
  [
    'de',
    'Alle: zu wenige Quellen (0 % bis 100 %), 25 % roh.',
    /^Alle: 25\D*% geschätzt \(.*\), 25\D*% roh\.$/,
  ],
])('in %s, the rate over all sources', (language, unknown, known) => {
  let all: Totals['allGroups'];

  beforeAll(async () => {
    Object.assign(globalThis, {
      document: { documentElement: { lang: language } },
      navigator: { languages: [language] },
    });
    await jest.isolateModulesAsync(async () => {
      all = ((await import('../../../collector/dashboard/client/all-groups')) as Totals).allGroups;
    });
  });

  const said = (interval: readonly number[]): string =>
    all({
      ...{ quantity: 'conversion-rate', observed: 0.25, estimate: 0.25, interval },
    } as EstimateJson).replaceAll('\u00a0', ' ');

  test('is no number if any rate is possible', () => {
    expect(said([0, 1])).toBe(unknown);
    expect(said([-0.5, 1.5])).not.toMatch(/estimated|geschätzt/);
  });

  test('is one if not', () => {
    expect(said([0, 0.5])).toMatch(known);
  });
});
