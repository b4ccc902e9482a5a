import { readFileSync } from 'node:fs';
import path from 'node:path';
import { audit, comparisonsOf } from '../../../analysis/audit/audit';
import { matrix } from '../../../analysis/audit/matrix';
import type { Observer } from '../../../analysis/audit/observer';
import { observersOf } from '../../../analysis/audit/relation';
import { relations } from '../../../analysis/audit/relations';
import { seededRandomSource } from '../../../analysis/random/sources';
import { root } from '../../../node/root';
import { isLong } from '../helpers/is-long';
import { mutations } from '../helpers/mutations/mutations';

const page = readFileSync(path.join(root, 'docs/audit.md'), 'utf8');

const seenBy: Readonly<Record<Observer, string>> = {
  'reporting-site': 'one reporting site',
  everyone: 'everyone together',
  'one-source': 'one reporting site, in the reports of one source',
  untimed: 'one reporting site, without times and order',
  aggregatable: 'one reporting site, in aggregatable reports',
};

/** Ten seconds of processor time. */
const withDelta = 'user, K = 5, with δ, of which less is registered';

/** The rows of "All promises": of each comparison, what is promised in words, and the configuration that is the example. */
const rows = page
  .slice(page.indexOf('## All promises'))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => {
    const [
      differs = '',
      observer = '',
      limits = '',
      ,
      id = '',
      configuration = '',
      promised = '',
      lost = '',
    ] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { differs, observer, limits, id: id.replaceAll('`', ''), configuration, promised, lost };
  });

const shown = (epsilon: number | null): string =>
  epsilon === null ? '–' : epsilon === Infinity ? '∞' : String(Number(epsilon.toFixed(3)));

const withProbability = (delta = 0): string => (delta < 1e-9 ? '' : `, δ = ${Number(delta.toPrecision(2))}`);

const tried = rows.filter(({ configuration }) => isLong || configuration !== withDelta);

test.each(tried)('$id, seen by $observer, with the example $configuration', async (row) => {
  const audited = matrix.find(({ name }) => name === row.configuration);
  if (audited === undefined) throw new RangeError(`there is no configuration ${row.configuration}`);
  const comparison = comparisonsOf(audited).find(
    ({ relation, observer }) => relation.id === row.id && seenBy[observer] === row.observer,
  );
  if (comparison === undefined) throw new RangeError(`${row.configuration} does not compare ${row.id}`);
  const finding = await audit(audited, comparison, seededRandomSource('page', 1));
  const { differs, limits = {} } = comparison.relation;
  expect(row).toMatchObject({
    differs,
    limits: Object.keys(limits)
      .map((limit) => `\`${limit}\``)
      .join(', '),
    promised: shown(finding.promise) + withProbability(finding.delta?.promise),
    lost: shown(finding.loss.epsilon) + withProbability(finding.delta?.lost),
  });
});

test('the table has all comparisons of the audit', () => {
  const compared = relations.flatMap((relation) =>
    observersOf(relation).map((observer) => `${relation.id} ${seenBy[observer]}`),
  );
  const listed = new Set(rows.map(({ id, observer }) => `${id} ${observer}`));
  expect([...listed].sort()).toEqual([...compared, `past-value ${seenBy['reporting-site']}`].sort());
});

test('the page says how many mutations there are', () => {
  expect(page).toContain(` ${mutations.length} ways`);
});
