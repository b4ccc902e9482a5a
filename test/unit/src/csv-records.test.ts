import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { csvRecords, CsvProblem } from '../../../formats/csv/records';
import { seededRandomSource } from '../../../analysis/random/sources';
import { uniformBelow } from '../../../src/privacy/uniform';

const cellsOf = (text: string): readonly (readonly string[])[] => csvRecords(text).map(({ cells }) => cells);

test.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    '\uFEFFa;b\r\n1;2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a\tb,c\n1\t2,3',
    [
      ['a', 'b,c'],
      ['1', '2,3'],
    ],
  ],
  [
    '"a;b",c\n"1 ""x""\n",',
    [
      ['a;b', 'c'],
      ['1 "x"\n', ''],
    ],
  ],
  ['a\n\n1\n', [['a'], ['1']]],
  ['', []],
])('%j is a table', (text, cells) => {
  expect(cellsOf(text)).toEqual(cells);
});

test('names the line on which a record begins, after cells of several lines', () => {
  expect(csvRecords('a,b\n"1\n2",3\n\n4,5').map(({ line }) => line)).toEqual([1, 2, 5]);
});

test.each([
  ['a,b\n1,2\n3,"4', 3],
  ['a,b\n"1"2,3', 2],
])('%j is none from line %d on', (text, line) => {
  expect(() => csvRecords(text)).toThrow(new CsvProblem(line));
});

test('reads what the library of the commands writes as that library does', () => {
  const random = seededRandomSource('csv', 0);
  const letters = ['a', '"', ',', ';', '\t', '\n', '\r\n', ' ', 'ä'];
  const cell = (): string =>
    Array.from(
      { length: Number(uniformBelow(random, 6n)) },
      () => letters[Number(uniformBelow(random, 9n))],
    ).join('');
  for (const delimiter of [',', ';', '\t'])
    for (let run = 0; run < 300; run++) {
      // The header shows the delimiter.
      const rows = [['x', 'y', 'z'], ...Array.from({ length: 4 }, () => [cell(), cell(), cell()])];
      const text = stringify(rows, { delimiter });
      const options = { delimiter, skip_empty_lines: true, record_delimiter: ['\n', '\r\n'] };
      expect(cellsOf(text)).toEqual(parse(text, options));
    }
});
