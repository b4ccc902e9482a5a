import { parseSettings } from '../../formats/settings/parse-settings';
import { chromiumLimits } from '../../src/model/limits';
import { moment } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { designOf, type SummaryApi } from '../experiment/designs/designs';
import { LoggedSources } from '../experiment/logged-sources';
import { SummaryMeasurement } from '../experiment/summary-measurement';
import { seededRandomStreams } from '../random/sources';
import { replaySettings, type ScenarioEvent } from '../scenario/scenario';
import { eventLine } from '../simulation/event-line';
import { parseLogLine } from '../simulation/log-line';
import type { Draw, Release } from './release';

const EPSILON = 1;
const AD_TECH = 'https://ads.example';
const SHOP = 'https://shop.example';

const levels = {
  columns: ['campaign', 'source_type'],
  levels: [['campaign'], ['source_type']],
  confidence: 0.95,
};

const events: readonly ScenarioEvent[] = [
  eventLine('ada', moment(0), {
    context: 'https://news.example',
    eligible: 'navigation-source',
    url: `${AD_TECH}/click`,
    header: {
      'Attribution-Reporting-Register-Source': {
        source_event_id: '1',
        destination: SHOP,
        filter_data: { campaign: ['Spring'] },
      },
    },
  }),
  eventLine('ada', moment(3_600_000), {
    context: SHOP,
    eligible: 'trigger',
    url: `${AD_TECH}/conversion`,
    header: { 'Attribution-Reporting-Register-Trigger': { event_trigger_data: [{}] } },
  }),
].flatMap((line) => parseLogLine(line).value?.event ?? []);

/** All estimates of the design after these events. Only noise is drawn anew each time. */
async function drawOf(api: SummaryApi, seen: readonly ScenarioEvent[]): Promise<Draw> {
  const sources = new LoggedSources(levels.columns);
  for (const event of seen) sources.add(event);
  const { value: settings } = parseSettings(
    { budget: { unit: 'user', epsilon: EPSILON, cap: 1, period: 30 }, aggregatableReports: true },
    replaySettings,
  );
  if (settings === null) throw new RangeError('the settings must be valid');
  let current: RandomSource | null = null;
  const noise: RandomSource = {
    uint64: () => current?.uint64() ?? 0n,
  };
  const measurement = new SummaryMeasurement(
    { settings, limits: chromiumLimits, noise: true, allocation: 'per-cap', matching: null },
    levels,
    designOf(api, levels, sources.list(), 1),
    api.conversions,
    noise,
  );
  await measurement.add(seen, seededRandomStreams(api.kind));
  return (random) => {
    current = random;
    return measurement
      .result()
      .groups.map(({ estimate }) => Number(estimate >= 1))
      .join(' ');
  };
}

const release = (api: SummaryApi): Release => ({
  id: `compare-${api.kind}`,
  differs: `a conversion; the estimates of \`${api.kind}\` are published`,
  promise: EPSILON,
  method: 'at-least',
  inputs: async () => [await drawOf(api, events.slice(0, 1)), await drawOf(api, events)],
});

/** What `compare` adds up from summary reports. */
export const designs: readonly Release[] = [
  release({ kind: 'summary', conversions: 1 }),
  release({ kind: 'label-sums', conversions: 1 }),
  release({ kind: 'proportions', size: 10, conversions: 1 }),
];
