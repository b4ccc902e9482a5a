import { JourneyCounter } from '../../../analysis/credits/journey-counts';
import { isRepeated, Journeys } from '../../../analysis/credits/journeys';
import { LEAST_JOURNEYS } from '../../../analysis/credits/learned-shapley';
import { creditsFromLog, numberedSets, type CreditRow } from '../../../analysis/credits/log-credits';
import { isPrivate } from '../../../analysis/credits/models';
import { EXACT_UP_TO } from '../../../analysis/credits/shapley';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { singleValues, sourceLogRow } from '../../../analysis/simulation/source-log';
import type { LogEntry } from '../../../src/model/decision';
import { chromiumLimits } from '../../../src/model/limits';
import type { AttributionModel } from '../../../src/model/mechanisms';
import type { Settings } from '../../../formats/settings/settings';
import { seededRandomSource } from '../../../analysis/random/sources';
import { field, headerJson } from '../data/header-json';

/** With more channels, orders would have to be drawn, and the page would wait. */
export const MOST_CHANNELS = EXACT_UP_TO;

/** Who offers more names of filter data can only hide the rarest. */
const MOST_FILTER_KEYS = 10;

/** The conversions that each model credits a channel with. */
interface ChannelCredits {
  readonly channel: string;
  readonly rule: number;
  readonly shapley: number;
  readonly logistic: number;
}

export type LearnedCredits =
  /** `most`: how many journeys have the same channels at most. */
  | { readonly kind: 'few'; readonly most: number; readonly least: number }
  | { readonly kind: 'many'; readonly channels: number }
  | { readonly kind: 'unconverted'; readonly journeys: number }
  | {
      readonly kind: 'learned';
      readonly journeys: number;
      readonly conversions: number;
      /** The model in force, or last touch if that is private: its probabilities take long for many candidates. */
      readonly rule: AttributionModel['kind'];
      readonly rows: readonly ChannelCredits[];
      /** Whether conversions count that only the truth would leave out. */
      readonly mayRepeat: boolean;
    };

/** The columns of the source log that can be channels here: filter data of most sources first, but `campaign` before all. */
export function channelColumns(entries: readonly LogEntry[]): readonly string[] {
  const sources = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'source') continue;
    for (const key of Object.keys(singleValues(field(headerJson(entry.header), 'filter_data') ?? null)))
      sources.set(key, (sources.get(key) ?? 0) + (key === 'campaign' ? Infinity : 1));
  }
  const keys = [...sources].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([key]) => key);
  return [...new Set([...keys.slice(0, MOST_FILTER_KEYS), 'reporting_origin', 'source_type'])];
}

/**
 * What `cointoss simulate compare` learns from the log, for the journeys of this device.
 * @param truth false lets every conversion count. Only sources that were not noised find out which ones to leave out.
 */
export function learnedCredits(
  entries: readonly LogEntry[],
  column: string,
  settings: Settings,
  truth: boolean,
): LearnedCredits {
  const rule: AttributionModel = isPrivate(settings.attribution)
    ? { kind: 'last-touch' }
    : settings.attribution;
  const counter = new JourneyCounter([rule]);
  for (const journey of journeysOf(entries, column, settings, truth).all()) counter.add(journey);
  const counts = counter.counts();
  const counted = [...counts.journeys.values()];
  const sum = (count: 'trials' | 'conversions'): number =>
    counted.reduce((total, one) => total + one[count], 0);
  const [journeys, conversions] = [sum('trials'), sum('conversions')];
  const most = counted.reduce((largest, { trials }) => Math.max(largest, trials), 0);
  if (most < LEAST_JOURNEYS) return { kind: 'few', most, least: LEAST_JOURNEYS };
  const numbered = numberedSets(counts);
  const { channels } = numbered;
  if (channels.length > MOST_CHANNELS) return { kind: 'many', channels: channels.length };
  if (conversions === 0) return { kind: 'unconverted', journeys };
  // So few channels need no draws.
  const random = new RandomNumbers(seededRandomSource('credits', 0));
  const rows = byChannel(channels, rule.kind, creditsFromLog(counts, numbered, random));
  return {
    kind: 'learned',
    journeys,
    conversions,
    rule: rule.kind,
    rows,
    mayRepeat: !truth && repeats(entries),
  };
}

function journeysOf(
  entries: readonly LogEntry[],
  column: string,
  settings: Settings,
  truth: boolean,
): Journeys {
  const journeys = new Journeys(column);
  // The test clock can go back.
  for (const entry of [...entries].sort((a, b) => a.time - b.time || a.id - b.id)) {
    const row = sourceLogRow(entry, { settings, limits: chromiumLimits });
    if (row !== null) journeys.addSource(entry, row);
    if (entry.kind === 'trigger' && !(truth && isRepeated(entry.decision))) journeys.addConversion(entry);
  }
  return journeys;
}

const repeats = (entries: readonly LogEntry[]): boolean =>
  entries.some(({ kind, header }) => kind === 'trigger' && header.includes('deduplication_key'));

function byChannel(
  channels: readonly string[],
  rule: AttributionModel['kind'],
  rows: readonly CreditRow[],
): readonly ChannelCredits[] {
  const credits = new Map(
    rows.map(({ model, channel, credit }) => [JSON.stringify([model, channel]), credit]),
  );
  const creditOf = (model: CreditRow['model'], channel: string): number =>
    credits.get(JSON.stringify([model, channel])) ?? 0;
  return channels.map((channel) => ({
    channel,
    rule: creditOf(rule, channel),
    shapley: creditOf('shapley', channel),
    logistic: creditOf('logistic', channel),
  }));
}
