import type { Mutation } from './mutation';

const TEST = 'recording/lift-test.ts';

/** Arms of lift tests that are told. */
export const arms: readonly Mutation[] = [
  {
    breaks: 'the source event id of a report says the arm',
    file: TEST,
    before: 'JSON.stringify({ ...json, filter_data:',
    after: "JSON.stringify({ ...json, source_event_id: arm === 'holdout' ? '7' : '8', filter_data:",
    foundBy: ['user-advertiser, K = 2', 'arm-of-campaign'],
  },
  {
    breaks: 'a source in one arm says its truth with less noise',
    file: TEST,
    before: 'JSON.stringify({ ...json, filter_data:',
    after: "JSON.stringify({ ...json, max_event_level_reports: arm === 'holdout' ? 0 : 1, filter_data:",
    foundBy: ['user-advertiser, K = 2', 'arm-of-campaign-of-two-ads'],
  },
];
