import type { Moment } from '../src/model/units';
import type { Impression } from './documents';
import type { Epochs } from './epochs';
import type { ConversionOptions } from './options';

/** Where and when a page calls the API (W3C Attribution, "implicit API inputs"). */
export interface Call {
  readonly time: Moment;
  readonly topLevelSite: string;
  /** The site of the frame that calls, if it is another one. */
  readonly intermediarySite: string | null;
}

/** Why an impression does not match, in the order of the checks. */
export type Unmatched =
  /** The impression's epoch is too long ago, began before history was cleared, or has not begun. */
  | 'epoch'
  | 'lifetime'
  | 'lookback'
  | 'conversion-sites'
  | 'conversion-callers'
  | 'match-values'
  | 'impression-sites'
  | 'impression-callers';

/** The site that called. */
export const callerOf = ({ topLevelSite, intermediarySite }: Omit<Call, 'time'>): string =>
  intermediarySite ?? topLevelSite;

/** W3C Attribution, "common matching logic", for one impression. Null: it matches. */
export function whyUnmatched(
  impression: Impression,
  call: Call,
  options: ConversionOptions,
  isOfEpochs: (epoch: number) => boolean,
  epochs: Epochs,
): Unmatched | null {
  const age = call.time - impression.time;
  const checks: readonly (readonly [Unmatched, boolean])[] = [
    ['epoch', isOfEpochs(epochs.of(impression.time))],
    ['lifetime', age <= impression.lifetime],
    ['lookback', age <= options.lookback],
    ['conversion-sites', allows(impression.conversionSites, call.topLevelSite)],
    ['conversion-callers', allows(impression.conversionCallers, callerOf(call))],
    ['match-values', allows(options.matchValues, impression.matchValue)],
    ['impression-sites', allows(options.impressionSites, impression.site)],
    ['impression-callers', allows(options.impressionCallers, impression.intermediarySite ?? impression.site)],
  ];
  return checks.find(([, holds]) => !holds)?.[0] ?? null;
}

const allows = <T>(set: ReadonlySet<T>, item: T): boolean => set.size === 0 || set.has(item);
