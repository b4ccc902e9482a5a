import type { Source } from './records';
import type { FilterPair, TriggerRegistration } from './registration';
import type { Moment, Origin, Site } from './units';

/** Whether a source matches the filter pair with this number. The answer holds until the next source is asked about. */
export type Matcher = (
  source: Pick<Source, 'sourceType' | 'registration' | 'time'>,
) => (pair: number) => boolean;

export interface Trigger {
  readonly id: number;
  readonly destination: Site;
  readonly reportingOrigin: Origin;
  readonly time: Moment;
  readonly registration: TriggerRegistration;
  readonly debugAllowed: boolean;
  readonly fenced: boolean;
  /** The matcher of a list of the registration, which is read once for all sources. */
  readonly matcherOf: (pairs: readonly FilterPair[]) => Matcher;
}
