import type { Report } from '../model/records';
import type { EventTriggerData, TriggerSpec } from '../model/registration';

/** A conversion that falls into a report window of the source. */
export interface MatchedConversion {
  readonly config: EventTriggerData;
  readonly triggerData: number;
  readonly spec: TriggerSpec;
  readonly reportTime: Report['reportTime'];
}
