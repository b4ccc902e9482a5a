import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readConfig, runW3cCase } from './w3c-cases';

const CONFIG = 'CONFIG.json';

function describeCases(folder: string): void {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== CONFIG);
  describe(`the cases of W3C Attribution in ${folder}`, () => {
    const config = readConfig(path.join(folder, CONFIG));

    it.each(files)('%s', (file) => {
      const events = runW3cCase(path.join(folder, file), config);
      expect(events.map(({ actual }) => actual)).toEqual(events.map(({ expected }) => expected));
    });
  });
}

describeCases(path.join(__dirname, 'w3c'));

const folder = process.env['COINTOSS_W3C_CASES'] ?? path.resolve(__dirname, '../../../shared/w3c');
if (existsSync(path.join(folder, CONFIG))) {
  describeCases(folder);
} else {
  // oxlint-disable-next-line jest/no-disabled-tests -- the cases belong to others and are not part of this repository
  it.skip(`the cases of w3c/attribution are not in ${folder} (set COINTOSS_W3C_CASES to their folder impl/e2e-tests)`, () =>
    undefined);
}
