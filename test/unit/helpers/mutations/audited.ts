import { audit, comparisonsOf, type Finding } from '../../../../analysis/audit/audit';
import { matrix } from '../../../../analysis/audit/matrix';
import { auditRelease, releases, type ReleaseFinding } from '../../../../analysis/releases/releases';
import { auditW3c, type W3cFinding } from '../../../../analysis/w3c/audit/audit';
import { w3cRelations } from '../../../../analysis/w3c/audit/relations';
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

/** What the audit finds in all rows of a configuration. */
export const findAll = async (configuration: string): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const audited of matrix.filter(({ name }) => name === configuration))
    for (const comparison of comparisonsOf(audited))
      findings.push(await audit(audited, comparison, seededRandomSource('mutations', 1)));
  return findings;
};

/** @throws RangeError if there is no such release. */
export async function findRelease(wanted: string): Promise<ReleaseFinding> {
  const release = releases.find(({ id }) => id === wanted);
  if (release === undefined) throw new RangeError(`the audit has no release ${wanted}`);
  return auditRelease(release, seededRandomSource('releases', 1));
}

/** @throws RangeError if there is no such relation. */
export async function findW3c(wanted: string): Promise<W3cFinding> {
  const relation = w3cRelations.find(({ id }) => id === wanted);
  if (relation === undefined) throw new RangeError(`the audit has no relation ${wanted} of W3C Attribution`);
  return auditW3c(relation);
}
