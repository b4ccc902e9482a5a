import type { AttributionModel } from '../../src/model/mechanisms';
import type { RandomNumbers } from '../learn/random-numbers';
import type { CreditCounts } from './credit-counts';
import { shapleyCredits, type ChannelSet, type Credit } from './learned-shapley';
import { logisticCredits } from './logistic-credits';
import { parsePattern } from './moments';
import { NOTHING, reportedConversions } from './reported-conversions';

/** How many conversions one model credits a channel with. */
interface CreditRow {
  readonly model: AttributionModel['kind'] | 'shapley' | 'logistic';
  /** From what happened, or from the noisy reports alone. */
  readonly from: 'log' | 'reports';
  readonly channel: string;
  readonly credit: number;
  /** Of the noise; null where there is none. */
  readonly standard_error: number | null;
}

export interface ComparedCredits {
  readonly rows: readonly CreditRow[];
  /** Sources whose noise has no unbiased estimate of conversions: what is learned from reports lacks theirs. */
  readonly notEstimable: number;
}

/** Compares rules with what is learned from the log and from its reports. @param inForce the model by which the reports were made */
export function comparedCredits(
  counts: CreditCounts,
  inForce: AttributionModel['kind'],
  random: RandomNumbers,
): ComparedCredits {
  const sets = [...counts.journeys].map(([name, { trials, conversions }]) => {
    const channels = JSON.parse(name) as readonly string[];
    return { name, channels, journeys: trials, conversions, variance: 0 };
  });
  const channels = [...new Set(sets.flatMap((set) => set.channels))].sort();
  const numberOf = numbering(channels);
  const reported = reportedConversions(counts.outputs);
  const shapley = (conversionsOf: (name: string) => Partial<ChannelSet>): readonly Credit[] =>
    shapleyCredits(
      sets.map((set) => ({ ...set, channels: set.channels.map(numberOf), ...conversionsOf(set.name) })),
      channels.length,
      random,
    );
  const rows = (
    model: CreditRow['model'],
    from: CreditRow['from'],
    creditOf: (channel: string, number: number) => Credit | undefined,
  ): readonly CreditRow[] =>
    channels.map((channel, number) => {
      const { credit, variance } = creditOf(channel, number) ?? NOTHING;
      return { model, from, channel, credit, standard_error: from === 'log' ? null : Math.sqrt(variance) };
    });
  const fromLog = shapley(() => ({}));
  const fromReports = shapley((name) => {
    const { credit, variance } = reported.journeys.get(name) ?? NOTHING;
    return { conversions: credit, variance };
  });
  const logistic = logisticCredits(patternsOf(counts, numberOf), channels.length);
  return {
    rows: [
      ...[...counts.rules].flatMap(([kind, credits]) =>
        rows(kind, 'log', (channel) => known(credits.get(channel))),
      ),
      ...rows('shapley', 'log', (_, number) => fromLog[number]),
      ...rows('logistic', 'log', (_, number) => known(logistic[number])),
      ...rows(inForce, 'reports', (channel) => reported.channels.get(channel)),
      ...rows('shapley', 'reports', (_, number) => fromReports[number]),
    ],
    notEstimable: reported.notEstimable,
  };
}

const known = (credit = 0): Credit => ({ credit, variance: 0 });

function numbering(names: readonly string[]): (name: string) => number {
  const numbers = new Map(names.map((name, number) => [name, number]));
  return (name) => numbers.get(name) ?? 0;
}

const patternsOf = (
  { hours }: CreditCounts,
  numberOf: (channel: string) => number,
): Parameters<typeof logisticCredits>[0] =>
  [...hours].map(([pattern, { trials, conversions }]) => ({
    cells: parsePattern(pattern).map(([channel, age]) => ({ channel: numberOf(channel), age })),
    hours: trials,
    conversions,
  }));
