import type { SourceType } from '../../../src/model/limits';
import type { Moment } from '../../../src/model/units';
import type { SourceGroup } from './joined-groups';

/** Identifies a source as far as a report can. */
export interface SourceIdentity {
  readonly reportingOrigin: string;
  /** Sites, or URLs on them, in any order. */
  readonly destinations: readonly string[];
  readonly sourceType: SourceType;
  readonly sourceEventId: bigint;
}

/** What sources have in common whose ids must differ. */
export type Party = Omit<SourceIdentity, 'sourceEventId'>;

/** A row of the source log. */
export interface LoggedSource extends SourceIdentity, SourceGroup {
  readonly time: Moment;
}

/** Equal for parties that are written in the same way. */
export const partyKey = ({ reportingOrigin, sourceType, destinations }: Party): string =>
  `${reportingOrigin} ${sourceType} ${destinations.join(' ')}`;
