import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { limitsOf, runCase } from './runner';
import { chromiumLimits } from '../../src/model/limits';

const CONFIG = 'default_config.json';
const folder = process.env['COINTOSS_INTEROP'] ?? path.resolve(__dirname, '../../../shared/interop');
const present = existsSync(path.join(folder, CONFIG));
const files = present ? readdirSync(folder).filter((name) => name.endsWith('.json') && name !== CONFIG) : [];

if (present) {
  describe(`the interoperability cases in ${folder}`, () => {
    it.each(files)('%s', async (name) => {
      const limits = limitsOf(path.join(folder, CONFIG), chromiumLimits);
      const { expected, actual } = await runCase(path.join(folder, name), limits);
      expect(actual).toEqual(expected);
    });
  });
} else {
  // oxlint-disable-next-line jest/no-disabled-tests -- the cases belong to others and are not part of this repository
  it.skip(`the interoperability cases are not in ${folder} (set COINTOSS_INTEROP to their folder)`, () =>
    undefined);
}
