import type { JsonObject } from '../../src/model/json';

/** What each API lets an advertiser do, on the month that `generate --demo` makes up; docs/compare.md. */
export const compareExperiment: JsonObject = {
  title: 'What can be optimized with what each API releases',
  seed: 'a month of tosses',
  repetitions: 12,
  data: { users: 1000, demo: true },
  settings: { budget: { unit: 'user-advertiser', period: 7, epsilon: 1, cap: 2 } },
  grid: {
    'settings.budget.epsilon': [1, 3, 8],
    api: [
      { kind: 'event-level' },
      { kind: 'summary', conversions: 1 },
      { kind: 'w3c', conversions: 1 },
      { kind: 'w3c', conversions: 2 },
    ],
    'source.event_level_epsilon': [14],
    'source.trigger_specs': [null],
    'source.trigger_data': [[0]],
    'source.max_event_level_reports': [1],
    'source.event_report_window': [2592000],
  },
  measure: { levels: [['campaign']], tasks: ['ranking', 'budget', 'rates'] },
};
