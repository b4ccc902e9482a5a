import { measured, type Row } from '../../../bench/trial-settings';
import { SETTINGS } from '../../../bench/trial-table';
import { isLong } from '../helpers/is-long';

/* Seeds are fixed: what the runs gave before is beyond each bound. */

function rowOf(name: string, level: string, runs: number): Row {
  const setting = SETTINGS.find((other) => other.name === name);
  if (setting === undefined) throw new Error(`there is no setting ${name}`);
  const row = measured(setting, runs).find((found) => found.level === level);
  if (row === undefined) throw new Error(`there is no level ${level}`);
  return row;
}

test('intervals of the middle level of a hierarchy hold the truth', () => {
  const runs = isLong ? 15 : 3;
  const { likeliest } = rowOf('views, ε = 1, hierarchy 5 × 6', 'level 1, conversions', runs);
  // 0.83 of 15 runs when the likeness of the groups counted as known.
  expect(likeliest.held / likeliest.shown).toBeGreaterThan(0.9);
});

test('a group that stands out does not draw the others to it', () => {
  const { likeliest } = rowOf(
    'views, ε = 2, one of 30 groups at 80 %',
    'the others, conversions',
    isLong ? 12 : 4,
  );
  // 1.23 when it did.
  expect(likeliest.error).toBeLessThan(1.05);
  expect(likeliest.held / likeliest.shown).toBeGreaterThan(0.96);
});
