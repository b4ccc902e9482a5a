import type { TriggerRegistration } from './registration';
import type { Moment, Origin, Site } from './units';

export interface Trigger {
  readonly id: number;
  readonly destination: Site;
  readonly reportingOrigin: Origin;
  readonly time: Moment;
  readonly registration: TriggerRegistration;
  readonly debugAllowed: boolean;
  readonly fenced: boolean;
}
