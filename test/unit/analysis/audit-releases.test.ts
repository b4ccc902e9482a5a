import { readFileSync } from 'node:fs';
import path from 'node:path';
import { releases } from '../../../analysis/releases/releases';
import { root } from '../../../node/root';
import { isLong } from '../helpers/is-long';
import { mutated, MutatedAudit } from '../helpers/mutations/mutated';
import { releaseMutations } from '../helpers/mutations/releases';

const page = readFileSync(path.join(root, 'docs/audit.md'), 'utf8').replaceAll(/ +/g, ' ');

test('each release has a sabotage, and a row on the page', () => {
  const ids = releases.map(({ id }) => id);
  expect(releaseMutations.map(({ foundBy }) => foundBy).sort()).toEqual([...ids].sort());
  for (const { id, differs, method } of releases)
    expect(page).toContain(`| ${differs} | \`${id}\` | ${method === 'exact' ? 'exact' : 'drawn'} |`);
});

describe('a release', () => {
  const audit = new MutatedAudit();
  let find: Awaited<ReturnType<MutatedAudit['load']>>['findRelease'];
  beforeAll(async () => ({ findRelease: find } = await audit.load(null)));
  afterAll(() => audit.stop());

  // A bound that is drawn is above the true loss with a probability of at most 1e-7.
  test.each(releases)('tells no more than ε: $id', async ({ id, method }) => {
    const finding = await find(id);
    expect(finding).toMatchObject({ holds: true, method });
    if (id === 'bins' || id === 'largest') expect(finding.loss.epsilon).toBeCloseTo(1, 5);
  });

  test.each(releaseMutations)('can be sabotaged: $breaks', (mutation) => {
    expect(mutated(mutation)).toContain(mutation.after);
  });

  // In `npm test` one of each kind; a bundle takes a second of processor time.
  const tried = releaseMutations.filter(
    ({ foundBy }) => isLong || ['bins', 'clusters', 'compare-label-sums'].includes(foundBy),
  );

  test.each(tried)('tells more if $breaks', async (mutation) => {
    const { findRelease } = await audit.load(mutation);
    expect(await findRelease(mutation.foundBy)).toMatchObject({ holds: false });
  });
});
