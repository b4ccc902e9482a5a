import type { JsonObject } from '../../src/model/json';

/** An experiment to start from. */
export const exampleExperiment: JsonObject = {
  title: 'What ε and the number of windows cost',
  seed: 'first',
  repetitions: 5,
  data: { users: 200 },
  settings: { deliveryProfile: 'chrome' },
  grid: {
    'source.event_level_epsilon': [1, 3, 8],
    'navigation_source.event_report_windows.end_times': [[2592000], [172800, 604800, 2592000]],
  },
  measure: { levels: [[], ['format']], confidence: 0.95, known: 0.1 },
};
