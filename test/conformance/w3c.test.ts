import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readConfig, runW3cCase } from './w3c-cases';

/** Events whose result differs from the one that the cases of w3c/attribution expect. docs/w3c.md lists them, too. */
const exceptions = [
  {
    file: 'measure-conversion-errors.json',
    seconds: 1,
    reason: 'the name of the aggregation service is not read: there is one, and it is local',
  },
] as const;

const CONFIG = 'CONFIG.json';

function describeCases(folder: string, excepted: readonly { file: string; seconds: number }[]): void {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== CONFIG);
  describe(`the cases of W3C Attribution in ${folder}`, () => {
    const config = readConfig(path.join(folder, CONFIG));

    it.each(files)('%s', (file) => {
      const events = runW3cCase(path.join(folder, file), config);
      const wrong = events.filter(
        ({ expected, actual }) => JSON.stringify(actual) !== JSON.stringify(expected),
      );
      // An exception that is not needed fails, too.
      const needed = excepted.filter((exception) => exception.file === file);
      expect(wrong).toMatchObject(needed.map(({ seconds }) => ({ seconds })));
    });

    it('include every file that the exceptions name', () => {
      expect(excepted.filter(({ file }) => !files.includes(file))).toEqual([]);
    });
  });
}

describeCases(path.join(__dirname, 'w3c'), []);

const folder = process.env['COINTOSS_W3C_CASES'] ?? path.resolve(__dirname, '../../../shared/w3c');
if (existsSync(path.join(folder, CONFIG))) {
  describeCases(folder, exceptions);
} else {
  // oxlint-disable-next-line jest/no-disabled-tests -- the cases belong to others and are not part of this repository
  it.skip(`the cases of w3c/attribution are not in ${folder} (set COINTOSS_W3C_CASES to their folder impl/e2e-tests)`, () =>
    undefined);
}
