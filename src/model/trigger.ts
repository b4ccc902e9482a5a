import type { TriggerRegistration } from './registration';
import type { Moment, Origin, Site } from './units';

/** A valid trigger registration and where it came from. */
export interface Trigger {
  readonly id: number;
  readonly destination: Site;
  readonly reportingOrigin: Origin;
  readonly time: Moment;
  readonly registration: TriggerRegistration;
  readonly debugAllowed: boolean;
  readonly fenced: boolean;
}
