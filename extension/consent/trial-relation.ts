import { type Json, type JsonObject } from '../../src/model/json';
import type { ReadTrial } from '../../formats/settings/trial-signature';
import { canonical } from '../../formats/codec/plain-json';

/**
 * What an offered trial is to the one that the person agreed to.
 * - `same`: nothing differs.
 * - `shortened`: it comes from the same author and only ends earlier, so it asks for less.
 * - `change`: it comes from the same author, and is newer.
 * - `replay`: the same author signed it, but it is not newer. It counts for nothing.
 * - `another`: it comes from somebody else, or is another trial of the author.
 */
export type Relation = 'same' | 'shortened' | 'change' | 'replay' | 'another';

/** @param byPolicy whether both came by policy, whose author is whoever sets the policies of the device, signed or not */
export function relationOf(agreed: ReadTrial, offered: ReadTrial, byPolicy: boolean): Relation {
  if (canonical(agreed.document) === canonical(offered.document)) return 'same';
  const isSigned = agreed.signer !== null && agreed.signer.publicKey === offered.signer?.publicKey;
  const isUnsignedPolicy = byPolicy && agreed.signer === null && offered.signer === null;
  if (agreed.trial.id !== offered.trial.id || !(isSigned || isUnsignedPolicy)) return 'another';
  if (isSigned && offered.trial.version <= agreed.trial.version) return 'replay';
  const isShorter = offered.trial.end <= agreed.trial.end;
  return isShorter && termsOf(agreed.document) === termsOf(offered.document) ? 'shortened' : 'change';
}

/** What may differ in an earlier end: the end, and what each signed version has anyway. */
const ofEachVersion: ReadonlySet<string> = new Set(['end', 'version', 'signature']);

/** What must not change without asking. */
function termsOf(document: Json): string {
  const terms = Object.entries(document as JsonObject).filter(([name]) => !ofEachVersion.has(name));
  return canonical(Object.fromEntries(terms));
}
