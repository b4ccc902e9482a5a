import { audit, comparisonsOf, type Finding } from '../../../../analysis/audit/audit';
import { matrix } from '../../../../analysis/audit/matrix';
import { seededRandomSource } from '../../../../analysis/random/sources';
import type { FoundBy } from './mutation';

/** @throws RangeError if the audit does not try that. */
export async function find([configuration, id, observer]: FoundBy): Promise<Finding> {
  const audited = matrix.find(({ name }) => name === configuration);
  const comparison =
    audited === undefined
      ? undefined
      : comparisonsOf(audited).find(
          (one) => one.relation.id === id && (observer === undefined || one.observer === observer),
        );
  if (audited === undefined || comparison === undefined)
    throw new RangeError(`the audit does not try ${id} with the configuration ${configuration}`);
  return audit(audited, comparison, seededRandomSource('mutations', 1));
}
