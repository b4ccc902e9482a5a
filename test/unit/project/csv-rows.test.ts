import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { LONGEST_ROW, RowError } from '../../../node/lines';
import { csvRows } from '../../../node/rows';

/** What makes a text hard to read: few characters, so that they meet often. */
const anyText = fc
  .array(
    fc.constantFrom('a', 'b', ',', ';', '\n', '\r\n', '\n', '\r', '"', '""', '"a,\n"', ' ', 'ä', '\uFEFF'),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(''));

interface Found {
  readonly rows: readonly (readonly string[])[];
  readonly isRefused: boolean;
}

function parsed(text: string, delimiter: string, emptyLines: boolean): Found {
  const rows: string[][] = [];
  try {
    const options = { bom: true, delimiter, skip_empty_lines: !emptyLines, relax_column_count: true };
    // Between tabs, a quote within a cell is a letter.
    const relaxed = { ...options, relax_quotes: delimiter === '\t' };
    parse(text, { ...relaxed, on_record: (record: string[]) => void rows.push(record) });
    return { rows, isRefused: false };
  } catch {
    return { rows, isRefused: true };
  }
}

async function read(parts: readonly string[], delimiter: string, emptyLines: boolean): Promise<Found> {
  const rows: (readonly string[])[] = [];
  try {
    for await (const some of csvRows(Readable.from(parts), { delimiter, emptyLines }))
      rows.push(...some.map(({ value }) => value));
    return { rows, isRefused: false };
  } catch {
    return { rows, isRefused: true };
  }
}

test('rows are those of the parser, wherever the text is divided', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyText,
      fc.nat(30),
      fc.constantFrom(',', ';', '\t'),
      fc.boolean(),
      async (text, cut, delimiter, emptyLines) => {
        const expected = parsed(text, delimiter, emptyLines);
        const parts = [text.slice(0, cut), text.slice(cut)].filter((part) => part !== '');
        const found = await read(parts, delimiter, emptyLines);
        expect(found.isRefused).toBe(expected.isRefused);
        // Before a mistake, a stream may deliver fewer rows.
        if (!expected.isRefused) expect(found.rows).toEqual(expected.rows);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['a,b\n1,2\n\n3,4', [1, 2, 4]],
  ['a,b\r\n1,2\r\n\r\n3,4\r\n', [1, 2, 4]],
  ['a,b\n1,2\n"3",4\n5,6', [1, 2, 3, 4]],
  ['a,b\n1,"2\n"\n5,6', [1, 3, 4]],
])('the lines of %j', async (text, lines) => {
  const found: number[] = [];
  for await (const rows of csvRows(Readable.from([text]))) found.push(...rows.map(({ line }) => line));
  expect(found).toEqual(lines);
});

async function lengths(pieces: readonly Buffer[]): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const rows of csvRows(Readable.from(pieces)))
    for (const { value } of rows) found.push(value.length);
  return found;
}

test('a row that is too long is refused as fast as one that is not is read', async () => {
  const timeOf = async (length: number): Promise<number> => {
    const before = process.cpuUsage();
    const pieces = Array.from({ length: 256 }, () => Buffer.alloc(length / 256, 'x'));
    const problem = await lengths(pieces).then(
      () => null,
      (error: unknown) => error,
    );
    const { user, system } = process.cpuUsage(before);
    if (length <= LONGEST_ROW) expect(problem).toBeNull();
    else expect(problem).toEqual(new RowError(1, 'must be CSV: a row has more than 16777216 characters'));
    return user + system;
  };
  const whole = await timeOf(LONGEST_ROW);
  // The parser takes some 90 times as long; one measurement in a loaded process was 5.3 times.
  expect(await timeOf(LONGEST_ROW + 256)).toBeLessThan(30 * whole);
});
