import type { EventTriggerData, ReportWindows, TriggerSpec } from '../model/registration';
import { after, type Moment } from '../model/units';

/** A conversion that falls into a report window of the source. */
export interface MatchedConversion {
  readonly config: EventTriggerData;
  readonly triggerData: number;
  readonly spec: TriggerSpec;
  readonly reportTime: Moment;
}

/** Before or after all windows, or within the one with this end. */
export type WindowResult =
  | { readonly kind: 'before' | 'after' }
  | { readonly kind: 'within'; readonly end: Moment };

/**
 * The window of a source that a conversion falls into (ARA, "check whether a moment falls within a window" and "obtain an
 * event-level report delivery time"). Windows are half open: a conversion at an end belongs to the next one. A conversion before
 * its source, because the clock was set back, counts as simultaneous.
 */
export function findWindow(windows: ReportWindows, sourceTime: Moment, triggerTime: Moment): WindowResult {
  const time = Math.max(triggerTime, sourceTime);
  const start = after(sourceTime, windows.start);
  if (time < start) return { kind: 'before' };
  const end = windows.ends.map((offset) => after(sourceTime, offset)).find((moment) => time < moment);
  return end === undefined ? { kind: 'after' } : { kind: 'within', end };
}
