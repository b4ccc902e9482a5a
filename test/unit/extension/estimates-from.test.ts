import { stringify } from 'csv-stringify/sync';
import { tableRow } from '../../../analysis/estimate/join/collected-line';
import { resultJson } from '../../../analysis/estimate/result/result-json';
import { estimatesFrom, RowProblem } from '../../../extension/site/estimates-from';
import { sampleMonth } from '../../../extension/site/sample-month';
import type { JsonObject } from '../../../src/model/json';
import { pageOf } from '../helpers/rendered-pages';

/** As `cointoss simulate` writes a table. */
function tableOf(lines: string, rowOf: (row: JsonObject) => JsonObject, delimiter: string): string {
  const rows = lines.split('\n').map((line) => rowOf(JSON.parse(line) as JsonObject));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown): unknown => (typeof value === 'string' ? value : JSON.stringify(value));
  return stringify(
    rows.map((row) => columns.map((name) => cell(row[name]))),
    { header: true, columns, delimiter },
  );
}

describe('the estimates of the lab', () => {
  it('are the same from lines of JSON and from tables, and have the campaigns of the sample month', async () => {
    const { sources, reports } = await sampleMonth();
    const fromLines = estimatesFrom(sources, reports, ['campaign']);
    expect(fromLines.reports.used).toBeGreaterThan(50);
    const campaigns = fromLines.configurations.flatMap(({ tally }) => [...tally.groups.values()]);
    expect(campaigns.length).toBeGreaterThanOrEqual(8);
    for (const delimiter of [',', '\t']) {
      const tables = [
        tableOf(sources, (row) => row, delimiter),
        tableOf(reports, tableRow, delimiter),
      ] as const;
      expect(resultJson(estimatesFrom(...tables, ['campaign']))).toEqual(resultJson(fromLines));
    }
  });

  it.each([
    ['en', 'The heartbeats show that 10 % of the reports never arrived (from 5 % to 15 %).'],
    ['de', 'Die Heartbeats zeigen, dass 10 % der Berichte nie angekommen sind (von 5 % bis 15 %).'],
  ] as const)('say what heartbeats show of lost reports (%s)', async (language, text) => {
    const { sources, reports } = await sampleMonth();
    const [found] = estimatesFrom(sources, reports, []).configurations;
    const lost = { rate: 0.1, range: [0.05, 0.15], from: 'heartbeats', fits: true } as const;
    const analysis = { ...found?.analysis, lost };
    const shown = { tally: found?.tally, analysis, groupBy: [], level: 0.95 };
    expect(await pageOf('configuration', language, shown)).toContain(text);
  });

  it.each([
    ['en', 'Heartbeats tell the share, once they are registered.', 'State the share'],
    ['de', 'Heartbeats zeigen den Anteil, sobald sie registriert sind.', 'lässt sich angeben'],
  ] as const)(
    'ask for no share of lost reports, which the lab cannot take (%s)',
    async (language, text, not) => {
      const { sources, reports } = await sampleMonth();
      const [found] = estimatesFrom(sources, reports, []).configurations;
      const analysis = { ...found?.analysis, lost: null, shortfall: null, mismatches: [] };
      const shown = await pageOf('configuration', language, {
        tally: found?.tally,
        analysis,
        groupBy: [],
        level: 0.95,
      });
      expect(shown).toContain(text);
      expect(shown).not.toContain(not);
    },
  );

  it.each([
    ['a,b\n1', 2],
    ['a,b\n1,2\n"3', 3],
    ['\uFEFF\r\n\r\na;b\r\n1', 4],
    ['no table', 1],
  ])('name the line of a table with a mistake: %j', (text, line) => {
    expect(() => estimatesFrom(text, '', [])).toThrow(
      expect.objectContaining({ constructor: RowProblem, file: 'sources', line }) as Error,
    );
  });
});
