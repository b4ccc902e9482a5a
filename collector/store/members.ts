import type { Queries } from './database';

/** A request for a batch, as digests: the store keeps neither codes nor secrets, and no times, which could be compared with those of reports. */
export interface Issuance {
  /** Null: the device is known already. */
  readonly invitation: string | null;
  readonly member: string;
  readonly keyId: string;
  readonly blinded: string;
}

/** `issue` also if the same request has been answered before. */
export type IssuanceDecision = 'issue' | 'no-member' | 'invitation-used' | 'withdrawn' | 'issued';

/**
 * Decides whether a device gets this batch, and notes that it does.
 * @param isInvited whether an invitation with this digest is in force.
 */
export async function admitIssuance(
  queries: Queries,
  { invitation, member, keyId, blinded }: Issuance,
  isInvited: (digest: string) => boolean,
): Promise<IssuanceDecision> {
  if (invitation !== null) {
    if (!isInvited(invitation)) return 'no-member';
    await queries.query(
      'INSERT INTO members (invitation, member) VALUES ($1::TEXT, $2::TEXT) ON CONFLICT DO NOTHING',
      [invitation, member],
    );
  }
  const [known] = await queries.query<{ invitation: string }>(
    'SELECT invitation FROM members WHERE member = $1::TEXT',
    [member],
  );
  if (known === undefined) return invitation === null ? 'no-member' : 'invitation-used';
  if (invitation !== null && known.invitation !== invitation) return 'invitation-used';
  if (!isInvited(known.invitation)) return 'withdrawn';
  await queries.query(
    `INSERT INTO token_batches (member, key_id, blinded) VALUES ($1::TEXT, $2::TEXT, $3::TEXT)
     ON CONFLICT DO NOTHING`,
    [member, keyId, blinded],
  );
  const [batch] = await queries.query<{ blinded: string }>(
    'SELECT blinded FROM token_batches WHERE member = $1::TEXT AND key_id = $2::TEXT',
    [member, keyId],
  );
  return batch?.blinded === blinded ? 'issue' : 'issued';
}
