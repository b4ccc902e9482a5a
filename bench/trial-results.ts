import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node/root';
import { measuredRuns, type LevelSums } from './trial-settings';
import { together } from './trial-outcome';
import { tableOf, type Line } from './trial-rows';
import { SETTINGS } from './trial-table';

/** The sums of all runs so far, a line for each setting and level. Delete a setting's lines to measure it anew. */
const RESULTS = join(root, 'bench', 'trial-results.ndjson');

/** So many runs of one setting are lost at most if the program is stopped. */
const BLOCK = 20;

/**
 * What estimates do where trials are real. `npm run bench -- trial-settings 200` completes 200 runs of each setting in the file of results, and prints
 * the table of docs/trial-settings.md; words after the number choose the settings whose names contain them. Seeds are fixed, and runs that are in the file are not repeated.
 */
export function benchTrialSettings(runs = 40, words: readonly string[] = []): void {
  const chosen = SETTINGS.filter(({ name }) => words.every((word) => name.includes(word)));
  let lines = readLines();
  // In rounds, so that all settings have as many runs if the program is stopped.
  for (
    let end = Math.min(BLOCK, runs);
    end <= runs;
    end = end < runs ? Math.min(end + BLOCK, runs) : Infinity
  )
    for (const setting of chosen) {
      const first = runsOf(lines, setting.name);
      if (first >= end) continue;
      lines = withRuns(lines, setting.name, measuredRuns(setting, first, end));
      writeLines(lines);
    }
  const names = new Set(chosen.map(({ name }) => name));
  console.log(tableOf(lines.filter(({ setting }) => names.has(setting))).join('\n'));
}

/** The results in the file. */
export const readLines = (): readonly Line[] =>
  existsSync(RESULTS)
    ? readFileSync(RESULTS, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line)
    : [];

/** In the order of the settings, and never half a file. */
function writeLines(lines: readonly Line[]): void {
  const sorted = SETTINGS.flatMap(({ name }) => lines.filter(({ setting }) => setting === name));
  writeFileSync(`${RESULTS}.new`, sorted.map((line) => `${JSON.stringify(line)}\n`).join(''));
  renameSync(`${RESULTS}.new`, RESULTS);
}

const runsOf = (lines: readonly Line[], name: string): number =>
  lines.find(({ setting }) => setting === name)?.unbiased.runs ?? 0;

function withRuns(
  lines: readonly Line[],
  setting: string,
  found: ReadonlyMap<string, LevelSums>,
): readonly Line[] {
  const known = new Map(lines.flatMap((line) => (line.setting === setting ? [[line.level, line]] : [])));
  return [
    ...lines.filter((line) => line.setting !== setting),
    ...[...found].map(([level, sums]): Line => {
      const before = known.get(level);
      return {
        setting,
        level,
        unbiased: together(before?.unbiased, sums.unbiased),
        likeliest: together(before?.likeliest, sums.likeliest),
        shown: together(before?.shown, sums.shown),
      };
    }),
  ];
}
