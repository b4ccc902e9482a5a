import { readdirSync } from 'node:fs';
import path from 'node:path';
import { documentationIssues } from './documentation';
import { runCase } from './runner';
import { chromiumLimits } from '../../src/model/limits';

const folder = path.join(__dirname, 'cases');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

describe('own cases', () => {
  it('has at least 40 for the full flexible configuration', () => {
    expect(files.filter((name) => name.startsWith('flexible-')).length).toBeGreaterThanOrEqual(40);
  });

  it.each(files)('%s', async (name) => {
    const file = path.join(folder, name);
    expect(documentationIssues(file)).toEqual([]);
    const { expected, actual } = await runCase(file, chromiumLimits);
    expect(actual).toEqual(expected);
  });
});
