import type { Line } from './trial-rows';
import { coverage, rmse, titleOf } from './trial-rows';
import { outcomeOf } from './trial-outcome';

/** What the first version did in the settings where estimates failed, measured with another harness: unbiased, and likelihood. */
const BEFORE: readonly (readonly [setting: string, level: string, before: string])[] = [
  ['views, ε = 1, 5 % lost, not said', 'level 0, conversions', '46.5 ± 3.5 %'],
  ['views, ε = 1, 5 % lost, given', 'level 0, conversions', 'could not be given'],
  ['views, ε = 1, 5 % lost, 500 heartbeats', 'level 0, conversions', 'there were none'],
  ['clicks, ε = 8, 5 % lost, not said', 'level 0, conversions', 'likelihood 10 ± 3 %'],
  ['views, ε = 1, 10 % of ids used again', 'level 0, conversions', '73.5 %; 80.0 %'],
  ['views, ε = 1, 9 % of reports still under way', 'level 0, conversions', '71.5 %; 79.5 %'],
  ['clicks, ε = 6, three reports of one datum', 'level 0, conversions', 'likelihood 10 ± 5.5 %'],
  [
    'flexible, ε = 6, reports of one conversion share a window',
    'level 0, window',
    'RMSE 58.0; likelihood, said to fit, 79.6',
  ],
  ['views, ε = 2, one of 30 groups at 80 %', 'the one, conversions', 'likelihood 85 ± 2.5 %, RMSE 10.4'],
  ['views, ε = 1, hierarchy 5 × 6', 'level 1, conversions', 'likelihood 88.6 ± 1.0 %'],
  ['views, ε = 1, hierarchy 5 × 6', 'level 2, conversions', 'likelihood 92.6 ± 0.3 %'],
  ['clicks, ε = 8', 'level 0, conversions', 'RMSE 120; 143'],
  ['clicks, ε = 10, none converts', 'level 0, conversions', 'RMSE 7.5; 14.9'],
  ['views, ε = 2, people are drawn, n = 200', 'level 0, conversions', '92.0 ± 1.9 %; 93.5 ± 1.7 %'],
  ['clicks, ε = 6, crowded', 'level 0, conversions', '91.7 ± 3.6 %'],
  ['clicks, ε = 3, crowded', 'level 0, conversions', '93.3 ± 3.2 %'],
];

const COLUMNS = ['Setting', 'First version', 'Now: contain the truth', 'Now: RMSE'];

/** The table of docs/trial-settings.md that compares with the first version. */
export const changesOf = (lines: readonly Line[]): readonly string[] =>
  [
    COLUMNS,
    COLUMNS.map(() => '---'),
    ...BEFORE.flatMap(([setting, level, before]) => {
      const line = lines.find((own) => own.setting === setting && own.level === level);
      return line === undefined ? [] : [cellsOf(line, before)];
    }),
  ].map((cells) => `| ${cells.join(' | ')} |`);

function cellsOf(line: Line, before: string): readonly string[] {
  const found = [line.unbiased, line.likeliest].map(outcomeOf).filter(({ count }) => count > 0);
  const all = line.unbiased.count;
  return [
    titleOf(line),
    before,
    found.map((outcome) => coverage(outcome, all)).join('; '),
    found.map(rmse).join('; '),
  ];
}
