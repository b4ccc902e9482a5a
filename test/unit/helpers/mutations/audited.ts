import { audit, comparisonsOf, type Finding } from '../../../../analysis/audit/audit';
import { matrix } from '../../../../analysis/audit/matrix';
import { seededRandomSource } from '../../../../analysis/random/sources';

/** What the audit finds about a relation, to the first of its observers. @throws RangeError if it does not try that. */
export async function find([configuration, id]: readonly [string, string]): Promise<Finding> {
  const audited = matrix.find(({ name }) => name === configuration);
  const comparison =
    audited === undefined ? undefined : comparisonsOf(audited).find(({ relation }) => relation.id === id);
  if (audited === undefined || comparison === undefined)
    throw new RangeError(`the audit does not try ${id} with the configuration ${configuration}`);
  return audit(audited, comparison, seededRandomSource('mutations', 1));
}
