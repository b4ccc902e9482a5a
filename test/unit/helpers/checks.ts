import {
  disclosures,
  type Check,
  type CheckId,
  type CheckValues,
  type MadeCheck,
} from '../../../src/model/checks';

export const checkIds = Object.keys(disclosures) as CheckId[];

const count = [{ count: 71, limit: 72 }];
const credited = { model: 'linear', source: 81, sources: '81, 82' } as const;
const windows = [{ window: 'before' }, { window: 'within' }, { window: 'after' }] as const;
const noises = [
  { noise: 'truthful' },
  { noise: 'replaced' },
  { noise: 'undrawn' },
  { noise: 'drawn' },
  { noise: 'off' },
] as const;
const spent = { of: '83', loss: 1, spent: 74, budget: 75 };

/** Example values for every check. */
const samples: { readonly [Id in CheckId]: readonly CheckValues[Id][] } = {
  'event-trigger-data': [{}],
  'matching-source': [{ eligible: 71, all: 72, destination: 'https://matched.example' }],
  filters: [
    { count: 1, all: 1, sources: '81' },
    { count: 71, all: 72, sources: '81, 82' },
  ],
  'candidates-within-budget': [{ count: 71, all: 72 }],
  attribution: [
    { how: 'split', model: 'linear', sources: '81, 82' },
    { how: 'drawn', ...credited },
    { how: 'untaken', ...credited },
    { how: 'last', ...credited },
    { how: 'private', epsilon: 4, ...credited },
  ],
  'value-share': [
    { count: 0, values: '', source: 81 },
    { count: 2, values: '71, 72', source: 81 },
  ],
  'source-within-budget': [{}],
  'source-not-noised': [...noises, { noise: 'fake' }, { noise: 'forced' }],
  'event-trigger-data-filters': [{ count: 1 }, { count: 71 }],
  'deduplication-key': [{ key: 'none' }, { key: '71' }],
  'trigger-data': [
    { triggerData: '71', matching: 'modulus' },
    { triggerData: '71', matching: 'exact' },
  ],
  'report-window-started': windows,
  'report-window-open': windows,
  'source-attributable': [{ count: 1 }, { count: 71 }],
  'reports-of-source': [
    { room: 'free', count: 71, limit: 72 },
    { room: 'full', limit: 72, replaceable: 71 },
    { room: 'flexible', final: 71, limit: 72 },
  ],
  'priority-over-report': [{ priority: '71', lowest: '-72' }],
  'conversions-kept': count,
  'summary-buckets-left': [{ count: 71, all: 72 }],
  'priority-over-conversions': [
    { reports: 1, conversions: 1 },
    { reports: 71, conversions: 72 },
  ],
  'attributions-per-pair': count,
  'attributing-origins': count,
  'pending-reports': count,
  'source-not-noised-to-nothing': [...noises, { noise: 'forced' }],
  'aggregatable-contributions': [{ count: 1 }, { count: 71 }],
  'aggregatable-reports-of-source': count,
  'aggregatable-budget': count,
  'named-budget': [{ name: 'season', count: 71, limit: 72 }],
  'debug-data': [{ count: 1 }, { count: 71 }],
  'debug-budget-of-source': count,
  'debug-reports-of-source': count,
  'debug-budget-of-site': count,
  'debug-budget-of-reporting-site': count,
  'privacy-budget': [
    { unit: 'impression', effect: 'spent', ...spent },
    { unit: 'user-publisher', effect: 'refused', ...spent },
    { unit: 'user-advertiser', effect: 'excluded', ...spent },
    { unit: 'user', effect: 'spent', ...spent },
  ],
  'impressions-of-unit': [{ unit: 'impression', of: '83', count: 71, limit: 72 }],
  'joint-budget': [
    { share: 'epsilon', site: '', loss: 1, spent: 71, budget: 72 },
    { share: 'reportingSite', site: 'https://adtech.example', loss: 1, spent: 71, budget: 72 },
    { share: 'sourceSite', site: 'https://news.example', loss: 1, spent: 71, budget: 72 },
    { share: 'destination', site: 'https://shop.example', loss: 1, spent: 71, budget: 72 },
  ],
  'budget-share': [{ epsilon: 4, registered: 14 }],
  mechanism: [
    { applies: 'yes', mechanism: 'unbiased' },
    { applies: 'epsilon' },
    { applies: 'windows' },
    { applies: 'states', states: '71', wanted: 72 },
    { applies: 'values', values: '0, 71', wanted: '0, 72' },
    { applies: 'data', wanted: '0, 72' },
  ],
  'trigger-state-cardinality': [{ count: '4294967296', limit: '4294967295' }],
  'channel-capacity': [
    { bits: 7.1, limit: 7.2, fitting: 'same' },
    { bits: 7.3, limit: 7.2, fitting: 4 },
  ],
  'event-states': count,
  'scopes-channel-capacity': count,
  'sources-of-origin': count,
  'origins-per-site': count,
  'destinations-per-minute': count,
  'destinations-per-day': count,
  'unexpired-destinations': [
    { limit: 72, beyond: 1 },
    { limit: 72, beyond: 71 },
  ],
  'destinations-of-all': count,
  'origins-per-destination': [{ destination: 'https://shared.example', count: 71, limit: 72 }],
};

/** The check with each of its values, passed and failed. */
export const checksOf = (id: CheckId): readonly MadeCheck[] =>
  samples[id].flatMap((values) =>
    [true, false].map((passed) => ({ id, passed, values, discloses: disclosures[id] }) as MadeCheck),
  );

/** Like a check from a file that does not say what it discloses. */
export const withoutDisclosure = ({ id, passed, values }: Check): Check => ({ id, passed, values }) as Check;
