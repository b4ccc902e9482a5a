import type { Matcher } from './match-filters';
import type { FilterPair, TriggerRegistration } from './registration';
import type { Moment, Origin, Site } from './units';

export interface Trigger {
  readonly id: number;
  readonly destination: Site;
  readonly reportingOrigin: Origin;
  readonly time: Moment;
  readonly registration: TriggerRegistration;
  readonly debugAllowed: boolean;
  readonly fenced: boolean;
  /** Of a list of the registration, which is read once for all sources. */
  readonly matcherOf: (pairs: readonly FilterPair[]) => Matcher;
}
