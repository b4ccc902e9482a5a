import { isLong } from '../helpers/is-long';
import { harmless } from '../helpers/mutations/harmless';
import { mutated, MutatedAudit } from '../helpers/mutations/mutated';
import { mutations } from '../helpers/mutations/mutations';

/** `npm test` tries some of them: each time the same. */
const EVERY = 12;

describe('of the engine', () => {
  const audit = new MutatedAudit();
  afterAll(() => audit.stop());

  test.each(mutations)('a text can be replaced so that $breaks', (mutation) => {
    expect(mutated(mutation)).toContain(mutation.after);
  });

  test.each(harmless)('a text can be replaced so that $changes', (change) => {
    expect(mutated(change)).toContain(change.after);
  });

  const tried = mutations.filter((_, index) => isLong || index % EVERY === 0);

  test.each(tried)('the audit finds that $breaks', async (mutation) => {
    const { find } = await audit.load(mutation);
    const finding = await find(mutation.foundBy);
    expect(finding).toMatchObject({ method: 'exact', holds: false });
  });

  const relations = new Map(tried.map(({ foundBy }) => [foundBy.join(': '), foundBy]));

  // noise-page.test.ts tries all relations in each run.
  if (isLong)
    test('the same relations hold without a mutation', async () => {
      const { find } = await audit.load(null);
      for (const foundBy of relations.values()) expect(await find(foundBy)).toMatchObject({ holds: true });
    });

  // Each takes a minute of processor time.
  if (isLong)
    test.each(harmless)('nobody learns more if $changes, because $because', async (change) => {
      const { findAll } = await audit.load(change);
      for (const configuration of change.configurations)
        for (const finding of await findAll(configuration)) expect(finding).toMatchObject({ holds: true });
    });
});

test('there are at least 40 mutations, and no two are the same', () => {
  expect(mutations.length).toBeGreaterThanOrEqual(40);
  expect(new Set(mutations.map(({ breaks }) => breaks)).size).toBe(mutations.length);
  expect(new Set(mutations.map(({ file, before, after }) => `${file}\n${before}\n${after}`)).size).toBe(
    mutations.length,
  );
});
