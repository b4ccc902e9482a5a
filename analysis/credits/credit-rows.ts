import type { AttributionModel } from '../../src/model/mechanisms';
import type { RandomNumbers } from '../learn/random-numbers';
import type { CreditCounts } from './credit-counts';
import { shapleyCredits, type Credit } from './learned-shapley';
import { creditsFromLog, numberedSets, type CreditRow } from './log-credits';
import { NOTHING, reportedConversions } from './reported-conversions';

export interface ComparedCredits {
  readonly rows: readonly CreditRow[];
  /** Sources whose noise has no unbiased estimate of conversions; credits from reports lack theirs. */
  readonly notEstimable: number;
}

/** Compares rules with what is learned from the log and from its reports. @param inForce the model by which the reports were made */
export function comparedCredits(
  counts: CreditCounts,
  inForce: AttributionModel['kind'],
  random: RandomNumbers,
): ComparedCredits {
  const numbered = numberedSets(counts);
  const { channels, sets } = numbered;
  const fromLog = creditsFromLog(counts, numbered, random);
  const reported = reportedConversions(counts.outputs);
  const shapley = shapleyCredits(
    sets.map((set) => {
      const { credit, variance } = reported.journeys.get(set.name) ?? NOTHING;
      return { ...set, conversions: credit, variance };
    }),
    channels.length,
    random,
  );
  const rows = (
    model: CreditRow['model'],
    creditOf: (channel: string, number: number) => Credit | undefined,
  ): readonly CreditRow[] =>
    channels.map((channel, number) => {
      const { credit, variance } = creditOf(channel, number) ?? NOTHING;
      return { model, from: 'reports', channel, credit, standard_error: Math.sqrt(variance) };
    });
  return {
    rows: [
      ...fromLog,
      ...rows(inForce, (channel) => reported.channels.get(channel)),
      ...rows('shapley', (_, number) => shapley[number]),
    ],
    notEstimable: reported.notEstimable,
  };
}
