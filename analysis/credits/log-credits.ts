import type { AttributionModel } from '../../src/model/mechanisms';
import type { RandomNumbers } from '../learn/random-numbers';
import type { JourneyCounts } from './journey-counts';
import { shapleyCredits, type ChannelSet } from './learned-shapley';
import { logisticCredits } from './logistic-credits';
import { parsePattern } from './moments';

/** How many conversions one model credits a channel with. */
export interface CreditRow {
  readonly model: AttributionModel['kind'] | 'shapley' | 'logistic';
  /** From what happened, or from the noisy reports only. */
  readonly from: 'log' | 'reports';
  readonly channel: string;
  readonly credit: number;
  /** The standard error from the noise; null if there is no noise. */
  readonly standard_error: number | null;
}

/** Channels that have numbers, in order of their names, and the sets of them that journeys have. */
export interface NumberedSets {
  readonly channels: readonly string[];
  /** `name`: the JSON of the channels. */
  readonly sets: readonly (ChannelSet & { readonly name: string })[];
}

export function numberedSets({ journeys }: Pick<JourneyCounts, 'journeys'>): NumberedSets {
  const named = [...journeys].map(([name, counted]) => ({
    name,
    of: JSON.parse(name) as readonly string[],
    counted,
  }));
  const channels = [...new Set(named.flatMap(({ of }) => of))].sort();
  const numberOf = numbering(channels);
  const sets = named.map(({ name, of, counted: { trials, conversions } }) => ({
    name,
    channels: of.map(numberOf),
    journeys: trials,
    conversions,
    variance: 0,
  }));
  return { channels, sets };
}

/** The credits of all rules, and of learned models if it is known what happened. */
export function creditsFromLog(
  counts: JourneyCounts,
  { channels, sets }: NumberedSets,
  random: RandomNumbers,
): readonly CreditRow[] {
  const rows = (model: CreditRow['model'], credits: readonly (number | undefined)[]): readonly CreditRow[] =>
    channels.map((channel, number) => ({
      model,
      from: 'log',
      channel,
      credit: credits[number] ?? 0,
      standard_error: null,
    }));
  const shapley = shapleyCredits(sets, channels.length, random).map(({ credit }) => credit);
  return [
    ...[...counts.rules].flatMap(([kind, credits]) =>
      rows(
        kind,
        channels.map((channel) => credits.get(channel)),
      ),
    ),
    ...rows('shapley', shapley),
    ...rows('logistic', logisticCredits(patternsOf(counts, numbering(channels)), channels.length)),
  ];
}

function numbering(names: readonly string[]): (name: string) => number {
  const numbers = new Map(names.map((name, number) => [name, number]));
  return (name) => numbers.get(name) ?? 0;
}

const patternsOf = (
  { hours }: Pick<JourneyCounts, 'hours'>,
  numberOf: (channel: string) => number,
): Parameters<typeof logisticCredits>[0] =>
  [...hours].map(([pattern, { trials, conversions }]) => ({
    cells: parsePattern(pattern).map(([channel, age]) => ({ channel: numberOf(channel), age })),
    hours: trials,
    conversions,
  }));
