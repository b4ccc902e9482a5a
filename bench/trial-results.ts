import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node/root';
import { measuredRuns, type LevelSums } from './trial-settings';
import { together } from './trial-outcome';
import { lossesTableOf, tableOf, type Line } from './trial-rows';
import type { Setting } from './trial-setting';
import { SETTINGS } from './trial-table';

/** The sums of all runs so far, a line for each setting and level. */
const RESULTS = join(root, 'bench', 'trial-results.ndjson');

/**
 * So many runs of one setting are lost at most if the program is stopped. The first ones are repeated, to see whether the estimates are still those of the
 * file: a change of one run in ten is missed with a probability of 12 %, and one of a run in four with 0.3 %.
 */
const BLOCK = 20;

/**
 * What estimates do where trials are real. `npm run bench -- trial-settings 200` completes 200 runs (a multiple of 20) of each setting in the file of results, and prints
 * the tables of docs/trial-settings.md and docs/estimates.md; words after the number choose the settings whose names contain them. Seeds are fixed, and runs
 * that are in the file are not repeated, unless the first ones have other results now.
 */
export function benchTrialSettings(runs = 40, words: readonly string[] = []): void {
  const chosen = SETTINGS.filter(({ name }) => words.every((word) => name.includes(word)));
  let lines = runs === 0 ? readLines() : withoutChanged(readLines(), chosen);
  // In rounds, so that all settings have as many runs if the program is stopped.
  for (let end = BLOCK; end < runs + BLOCK; end += BLOCK)
    for (const setting of chosen) {
      const first = runsOf(lines, setting.name);
      if (first >= end) continue;
      lines = withRuns(lines, setting, measuredRuns(setting, first, end));
      writeLines(lines);
    }
  const names = new Set(chosen.map(({ name }) => name));
  const shown = lines.filter(({ setting }) => names.has(setting));
  console.log([...tableOf(shown), '', ...lossesTableOf(shown)].join('\n'));
}

/** Without the settings whose first runs have other results than when they were measured. */
function withoutChanged(lines: readonly Line[], settings: readonly Setting[]): readonly Line[] {
  const changed = new Set(
    settings.flatMap((setting) => {
      const own = lines.filter((line) => line.setting === setting.name);
      if (own.length === 0) return [];
      const first = measuredRuns(setting, 0, BLOCK);
      if (own.every(({ level, first: before }) => isSame(marksOf(first.get(level)), before))) return [];
      const isKnown = own.every(({ first: before }) => before.length > 0);
      const reason = isKnown ? 'its estimates have changed' : 'nobody noted what its first runs estimate';
      console.error(`${setting.name}: ${reason}, so its runs begin anew`);
      return [setting.name];
    }),
  );
  return lines.filter(({ setting }) => !changed.has(setting));
}

const marksOf = (sums: LevelSums | undefined): readonly number[] =>
  [sums?.unbiased, sums?.likeliest].flatMap((own) => [own?.error ?? 0, own?.width ?? 0]);

/** Engines may differ in the last digits of logarithms. */
const isSame = (marks: readonly number[], before: readonly number[]): boolean =>
  marks.every((mark, index) => Math.abs(mark - (before[index] ?? NaN)) <= 1e-6 * (1 + Math.abs(mark)));

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
  setting: Setting,
  found: ReadonlyMap<string, LevelSums>,
): readonly Line[] {
  const { name } = setting;
  const known = new Map(lines.flatMap((line) => (line.setting === name ? [[line.level, line]] : [])));
  return [
    ...lines.filter((line) => line.setting !== name),
    ...[...found].map(([level, sums]): Line => {
      const before = known.get(level);
      return {
        setting: name,
        level,
        first: before?.first ?? marksOf(sums),
        unbiased: together(before?.unbiased, sums.unbiased),
        likeliest: together(before?.likeliest, sums.likeliest),
        shown: together(before?.shown, sums.shown),
      };
    }),
  ];
}
