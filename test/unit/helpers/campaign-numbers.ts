import type { EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import type { EstimateJson } from '../../../analysis/estimate/result/group-result';
import type { EstimateResult } from '../../../analysis/estimate/result/result-json';
import type { Answer } from './campaign-run';
import { pageOf, pageTable } from './rendered-pages';
import { expectAmong, expectNumbers, expectPlain, type Compared, type Language } from './shown-numbers';

/* What the dashboard and the lab show of groups and configurations, beside the JSON. */

const CAMPAIGN = 'campaign';

/** The dashboard's table of groups: what was counted, how much of it is noise, and the estimate. */
export async function expectGroups(
  { totals }: Answer,
  shown: Compared,
  language: Language,
  estimates: EstimateResultJson,
): Promise<void> {
  const named = totals.filter(({ group }) => group[CAMPAIGN] !== undefined);
  const table = await pageTable('groups', language, {
    answers: {
      ...{ estimates, group: CAMPAIGN },
      statistics: {
        groups: named.map(({ group, sources }) => ({ group: group[CAMPAIGN], sources, reports: 1 })),
        moreGroups: 0,
      },
    },
    nameOf: (name: string) => name,
  });
  for (const { group, estimates: of, covered, sources } of named) {
    const name = group[CAMPAIGN] ?? '';
    const cells = table.find((one) => one[0] === name) ?? [];
    const found = of.find(({ quantity }) => quantity === 'conversions');
    expectPlain(shown, `${name} sources`, cells[1] ?? '', sources, language);
    if (covered < sources || found === undefined) {
      expect([name, ...cells.slice(3)]).toEqual([name, '–', '–', '–']);
      continue;
    }
    expectPlain(shown, `${name} counted`, cells[3] ?? '', found.observed ?? NaN, language);
    expectShare(shown, `${name} noise`, cells[4] ?? '', found.noise_share, language);
    expectNumbers(shown, `${name} in groups`, cells[5] ?? '', numbersIn(found), language);
  }
}

/** The dashboard's tile of conversions. */
export async function expectFigures(
  { totals }: Answer,
  shown: Compared,
  language: Language,
  estimates: EstimateResultJson,
): Promise<void> {
  const all = totals.find(({ group }) => Object.keys(group).length === 0);
  const found = all?.estimates.find(({ quantity }) => quantity === 'conversions');
  if (all === undefined || found === undefined) throw new Error('there are no conversions');
  const html = await pageOf('figures', language, {
    answers: {
      estimates,
      statistics: { reports: 0, sources: 0, delays: [] },
      dimensions: { counts: { duplicates: 0, conflicting: 0, refused: 0 } },
    },
  });
  const [, tile = '', said = ''] =
    /id="figure-conversions">(.*?)<\/p><p[^>]*>(.*?)<\/p>/s.exec(html.replaceAll('\u00a0', ' ')) ?? [];
  // Below the tile are the interval, the count, and of how many sources it is, in the order of the language.
  const [low, high] = found.interval;
  const { observed: counted, estimate } = found;
  const { covered, sources } = all;
  if (estimate !== null) expectAmong(shown, 'tile', tile, estimate, language);
  for (const [what, exact] of Object.entries({ low, high, counted, covered, sources }))
    expectAmong(shown, `tile ${what}`, said, exact ?? NaN, language);
}

/** The numbers below the dashboard's charts, of all groups of all configurations. */
export async function expectCharts(
  shown: Compared,
  language: Language,
  { configurations }: EstimateResultJson,
): Promise<void> {
  for (const { groups } of configurations)
    for (const group of groups) {
      const rows = await pageTable('charted', language, { group, quantity: 'conversions' });
      const total = ['conversions', 'label-sum', 'binned-sum'];
      const charted = group.estimates.filter(({ quantity }) => !notCharted.includes(quantity));
      const of = [
        ...total.flatMap((kind) => group.estimates.filter(({ quantity }) => quantity === kind)).slice(0, 1),
        ...charted,
      ];
      expect(rows.length).toBe(of.length);
      of.forEach((found, place) => expectCells(shown, found, rows[place]?.slice(1) ?? [], language));
    }
}

const notCharted = [
  ...['conversion-rate', 'conversions', 'label-sum', 'binned-sum', 'value'],
  ...['trigger-data-and-window', 'average-value', 'state', 'state-with-share'],
];

/** The lab's tables of all groups of all configurations. */
export async function expectLab(
  { configurations, groupBy, options }: EstimateResult,
  shown: Compared,
  language: Language,
  json: EstimateResultJson,
): Promise<void> {
  for (const [number, { tally, analysis }] of configurations.entries()) {
    const table = await pageTable('configuration', language, {
      ...{ tally, analysis, groupBy, level: options.level },
    });
    const rows = table.filter(({ length }) => length === 5);
    const estimates =
      json.configurations[number]?.groups.flatMap((group) => [null, ...group.estimates]) ?? [];
    expect(rows.length).toBe(estimates.length);
    estimates.forEach((found, place) => {
      const [, observed = '', estimate = '', interval = '', share = ''] = rows[place] ?? [];
      if (found !== null) expectCells(shown, found, [observed, estimate, interval, share], language);
    });
  }
}

/** Cells with the raw number, the estimate, its interval in one or two cells, and the share of noise. */
function expectCells(
  shown: Compared,
  found: EstimateJson,
  cells: readonly string[],
  language: Language,
): void {
  const { quantity, observed, estimate } = found;
  const [raw = '', ...rest] = cells;
  const share = rest.pop() ?? '';
  const where = `${quantity} ${found.value ?? ''}`;
  if (observed === null) expect([where, raw]).toEqual([where, '–']);
  else expectPlain(shown, `${where} raw`, raw, observed, language);
  const ends = estimate === null ? rest.slice(1) : rest;
  expectNumbers(shown, where, ends.join(' | '), numbersIn(found), language);
  expectShare(shown, `${where} noise share`, share, found.noise_share, language);
}

function expectShare(
  shown: Compared,
  where: string,
  text: string,
  share: number | null,
  language: Language,
): void {
  if (share === null) expect([where, text]).toEqual([where, '–']);
  else expectPlain(shown, where, text, share, language);
}

/** The estimate, if there is one, and its interval. */
const numbersIn = ({ estimate, interval }: EstimateJson): readonly (number | null)[] => [
  ...(estimate === null ? [] : [estimate]),
  ...interval,
];
