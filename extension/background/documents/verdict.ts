import type { Unknown } from '../../../recording/places';
import type { Origin } from '../../../src/model/units';
import { inheritedOrigin, type KnownDocument } from './known-document';
import { allowlistOf, isAllowed, type Feature, type Policy } from './permissions-policy';

/** Whether Permissions Policy lets a document register, or what is missing to tell. */
export type Verdict = 'allowed' | 'forbidden' | Extract<Unknown, 'response' | 'frame-attribute'>;

/**
 * Whether the innermost document may register (Permissions Policy, "is feature enabled in document for origin?"). A policy that forbids it
 * counts also where others are unknown.
 * @param origin its origin
 * @param documents it and those around it, out to the page
 * @param feature what it wants to use
 */
export function verdictOn(
  origin: Origin | null,
  documents: readonly KnownDocument[],
  feature: Feature,
): Verdict {
  const verdictOf = (policy: Policy, asked: readonly (Origin | null)[]): Verdict =>
    asked.every((one) => isAllowed(allowlistOf(policy, feature), one)) ? 'allowed' : 'forbidden';
  const origins = documents.map((_, index) =>
    index === 0 ? origin : inheritedOrigin(documents.slice(index)),
  );
  const verdicts = documents.flatMap(({ header, attribute }, index): readonly Verdict[] => {
    const own = origins[index] ?? null;
    const inside = index === 0 ? [] : origins.slice(index - 1, index);
    return [
      header === 'unseen' ? 'response' : verdictOf(header, [own, ...inside]),
      attribute === 'unconfirmed' ? 'frame-attribute' : verdictOf(attribute, [own]),
    ];
  });
  return strictest(verdicts);
}

/** The one of several that counts: a single one that forbids, or else a single one that is missing. */
export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.find((one) => one === 'forbidden') ?? verdicts.find((one) => one !== 'allowed') ?? 'allowed';
