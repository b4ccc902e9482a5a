import { measured, type Row } from '../../../bench/trial-settings';
import { SETTINGS } from '../../../bench/trial-table';
import { isLong } from '../helpers/is-long';

/* Seeds are fixed: what the runs gave before is beyond each bound. */

function rowsOf(name: string, runs: number): (level: string) => Row {
  const setting = SETTINGS.find((other) => other.name === name);
  if (setting === undefined) throw new Error(`there is no setting ${name}`);
  const rows = measured(setting, runs);
  return (level) => {
    const row = rows.find((found) => found.level === level);
    if (row === undefined) throw new Error(`there is no level ${level}`);
    return row;
  };
}

test('groups in a hierarchy are near the truth, and the intervals of its middle level hold it', () => {
  const rowOf = rowsOf('views, ε = 1, hierarchy 5 × 6', isLong ? 15 : 6);
  const middle = rowOf('level 1, conversions').likeliest;
  // 0.83 of 15 runs when the likeness of the groups counted as known.
  expect(middle.held / middle.shown).toBeGreaterThan(0.9);
  expect(rowOf('level 2, conversions').likeliest.error).toBeLessThan(isLong ? 6.8 : 7.2);
});

test('groups that are unlike are not drawn together because those of another are alike', () => {
  const rowOf = rowsOf('views, ε = 2, 40 groups alike beside two that are not', isLong ? 40 : 12);
  // 4 of 12 and 9 of 40 when all larger groups of a level showed together how alike their parts are.
  for (const level of ['low', 'high']) {
    const { held, shown } = rowOf(`the ${level} one, conversions`).likeliest;
    expect(held / shown).toBeGreaterThan(0.8);
  }
});
