import { audit, relationsOf, type Finding } from '../../../../analysis/audit/audit';
import { matrix } from '../../../../analysis/audit/matrix';
import { seededRandomSource } from '../../../../analysis/random/sources';

/** @throws RangeError if the audit does not try that relation for that configuration. */
export async function find([configuration, relation]: readonly [string, string]): Promise<Finding> {
  const audited = matrix.find(({ name }) => name === configuration);
  const tried = audited === undefined ? undefined : relationsOf(audited).find(({ id }) => id === relation);
  if (audited === undefined || tried === undefined)
    throw new RangeError(`the audit does not try ${relation} with the configuration ${configuration}`);
  return audit(audited, tried, seededRandomSource('mutations', 1));
}
