import type { JsonObject } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';

/** What a source may report: its type, and the fields of its registration that decide how many states it has. */
export interface Shape {
  readonly type: SourceType;
  readonly fields: JsonObject;
}

const DAY = 86_400;

/** Two states: one report or none, a day later. The fewest there can be. */
export const view: Shape = {
  type: 'event',
  fields: { trigger_data: [0], max_event_level_reports: 1, event_report_window: DAY },
};

export const click: Shape = { ...view, type: 'navigation' };

/** Three states: no report, one after a day, or one after two. */
export const windows: Shape = {
  type: 'navigation',
  fields: {
    trigger_data: [0],
    max_event_level_reports: 1,
    event_report_windows: { end_times: [DAY, 2 * DAY] },
  },
};

/** Three states: no report, or one of two trigger data. */
export const data: Shape = {
  type: 'navigation',
  fields: { trigger_data: [0, 1], max_event_level_reports: 1, event_report_window: DAY },
};

/** Ten states: up to two reports, each in one of three windows. */
export const threeWindows: Shape = {
  type: 'navigation',
  fields: {
    trigger_data: [0],
    max_event_level_reports: 2,
    event_report_windows: { end_times: [DAY, 2 * DAY, 3 * DAY] },
  },
};

/** Ten states: up to two reports, each with one of three trigger data. */
export const threeData: Shape = {
  type: 'navigation',
  fields: { trigger_data: [0, 1, 2], max_event_level_reports: 2, event_report_window: DAY },
};

/** 165 states: up to three reports, each with one of eight trigger data. */
export const eightData: Shape = { type: 'navigation', fields: { event_report_window: DAY } };

/** 2,925 states: what a click registers if its header says nothing of reports. */
export const usualClick: Shape = { type: 'navigation', fields: {} };

/** One state for 0 and one for each bucket of the sum of conversion values. */
export const values = (buckets: readonly number[]): Shape => ({
  type: 'event',
  fields: {
    trigger_specs: [
      {
        trigger_data: [0],
        summary_operator: 'value_sum',
        summary_buckets: [...buckets],
        event_report_windows: { end_times: [DAY] },
      },
    ],
    max_event_level_reports: buckets.length,
  },
});

/** Six states: up to two buckets of a sum, each in one of two windows. */
export const flexible: Shape = {
  type: 'navigation',
  fields: {
    trigger_specs: [
      {
        trigger_data: [0],
        summary_operator: 'value_sum',
        summary_buckets: [1, 3],
        event_report_windows: { end_times: [DAY, 2 * DAY] },
      },
    ],
    max_event_level_reports: 2,
  },
};

/** Five states: up to two reports, of the buckets of a sum and of a number of conversions. */
export const severalSpecs: Shape = {
  type: 'event',
  fields: {
    trigger_specs: [
      {
        trigger_data: [0],
        summary_operator: 'value_sum',
        summary_buckets: [2, 4],
        event_report_windows: { end_times: [DAY] },
      },
      {
        trigger_data: [1],
        summary_operator: 'count',
        summary_buckets: [1],
        event_report_windows: { end_times: [2 * DAY] },
      },
    ],
    max_event_level_reports: 2,
  },
};
