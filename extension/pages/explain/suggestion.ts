import { mistake } from '../../../formats/codec/mistakes';
import type { SourceType } from '../../../src/model/limits';
import type { SourceRegistration } from '../../../src/model/registration';
import {
  optimize,
  settableEpsilon,
  type CandidateConfiguration,
  type OptimizeRequest,
} from '../../../analysis/optimize/optimize';
import { optimizedRegistration } from '../../../analysis/optimize/registration';
import { givenDistribution } from '../../../analysis/optimize/value-distribution';
import { ParameterError } from '../../../src/privacy/parameters';
import { words } from '../../words';
import { edited, without, type Draft } from './workbench';

/** The triggers that a person expects. */
export interface Expectation {
  /** The possible sums of a source's trigger values: `0, 5, 10`. */
  readonly values: string;
  readonly prior: string;
}

export type Suggestion =
  | { readonly kind: 'problem'; readonly message: string }
  | {
      readonly kind: 'found';
      readonly request: OptimizeRequest;
      readonly configurations: readonly CandidateConfiguration[];
      readonly best: CandidateConfiguration | null;
    };

/** With more, each key press would take noticeably long. */
const MAX_VALUES = 64;
const MAX_BUCKETS = 5;

/** The summary buckets that `optimize` finds for the source's ε, windows and number of trigger data. */
export function suggest(
  source: SourceRegistration,
  sourceType: SourceType,
  { values, prior }: Expectation,
): Suggestion {
  try {
    const numbers = listOf(values);
    if (numbers.length > MAX_VALUES)
      throw new ParameterError(
        'values',
        mistake('too-many-here', { max: MAX_VALUES, count: numbers.length }),
      );
    const request: OptimizeRequest = {
      distribution: givenDistribution(numbers, listOf(prior)),
      epsilon: settableEpsilon(source.eventLevelEpsilon),
      sourceType,
      goal: 'value',
      loss: 'squared',
      maxBuckets: MAX_BUCKETS,
      maxReports: null,
      triggerData: Math.max(1, source.triggerSpecs.flatMap(({ triggerData }) => triggerData).length),
      windowEnds: (source.triggerSpecs[0]?.windows.ends ?? [source.expiry]).map((end) => end / 1000),
      // Totals are not shown, so any number will do.
      sources: 1,
    };
    return { kind: 'found', request, ...optimize(request) };
  } catch (error) {
    if (error instanceof ParameterError)
      return { kind: 'problem', message: words.issueSentence(error.issue) };
    throw error;
  }
}

/** The draft with its buckets replaced by the configuration. */
export const withConfiguration = (
  draft: Draft,
  request: OptimizeRequest,
  configuration: CandidateConfiguration,
): Draft =>
  edited(draft, (json) => ({
    ...without(json, 'trigger_data', 'event_report_window', 'event_report_windows'),
    ...without(optimizedRegistration(request, configuration), 'destination'),
  }));

const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter((item) => item !== '');
