import { arms, type Arm } from '../../../recording/lift-test';
import type { SummarySlice } from '../result/campaigns';
import type { ConfigurationJson, EstimateResultJson } from '../result/estimate-result';
import type { TotalJson } from '../result/group-result';
import { liftOf, type ArmEstimate, type Lift } from './lift';
import { isUncertain } from '../result/lost-reports-json';
import { normalQuantile } from '../intervals/normal';
import { lowerTailBound } from '../unbiased/shortfall';
import { unsaidBy, type Analysed } from '../result/totals';

/** What each kind of report says of a lift test. Null: it does not have both arms, or no interval of one of them holds. */
export interface MeasuredLifts {
  readonly eventLevel: Lift | null;
  readonly summary: Lift | null;
  readonly histogram: Lift | null;
}

type Slices = ReadonlyMap<string, SummarySlice>;

/**
 * The lift of a test whose arms are groups of the first column, with the names `exposed` and `holdout`.
 * @param posted what other kinds of reports say of these groups
 * @param held the share of the people who were held out
 */
export function measuredLifts(
  { totals, configurations, level }: Pick<EstimateResultJson, 'totals' | 'configurations' | 'level'>,
  posted: { readonly slices: Slices; readonly histogram: Slices },
  held: number,
): MeasuredLifts {
  const byReports = (arm: string): ArmEstimate | null => {
    const total = totalOfArm(totals, arm);
    const found = total?.estimates.find(({ quantity }) => quantity === 'conversions');
    if (found === undefined) return null;
    const { estimate, unbiased, noise_variance: noise, interval } = found;
    const [low, high] = interval;
    // The unbiased estimate is there even if nothing holds of it.
    if (estimate === null || unbiased === null || noise === null || low === null || high === null)
      return null;
    if (!configurations.some((one) => isLossUncertain(one, arm)))
      return { estimate: unbiased, variance: noise };
    // Only the interval has the error of the share that is lost.
    const deviation = Math.max(high - estimate, estimate - low) / normalQuantile((1 + level) / 2);
    return { estimate: unbiased, variance: Math.max(noise, deviation ** 2) };
  };
  const bySlices =
    (slices: Slices) =>
    (arm: string): ArmEstimate | null => {
      const slice = slices.get(arm);
      return slice === undefined ? null : { estimate: slice.estimate, variance: slice.error ** 2 };
    };
  const lift = (armOf: (arm: string) => ArmEstimate | null): Lift | null => {
    const [exposed, holdout] = arms.map(armOf);
    return exposed && holdout ? liftOf({ exposed, holdout, held }, level) : null;
  };
  return {
    eventLevel: lift(byReports),
    summary: lift(bySlices(posted.slices)),
    histogram: lift(bySlices(posted.histogram)),
  };
}

/** That it contradicts: which share of the sources of both arms is of the holdout arm. */
export interface ShareDoubt {
  readonly sources: number;
  readonly share: number;
}

/** For `words/`. With so many decimals that the shares differ. */
export const doubtValues = (
  { sources, share }: ShareDoubt,
  held: number,
): Readonly<Record<string, number>> => {
  let digits = 1;
  while (digits < MOST_DIGITS && inPercent(share, digits) === inPercent(held, digits)) digits += 1;
  return { sources, share: inPercent(share, digits), held: inPercent(held, digits) };
};

/** Of the messages. */
const MOST_DIGITS = 10;

const inPercent = (share: number, digits: number): number => Number((100 * share).toFixed(digits));

/** Of a person, in a lift test: more than most have. */
const SOURCES_OF_PERSON = 20;
/** The largest probability that the right share is doubted. */
const ERROR_PROBABILITY = 1e-6;

/**
 * Whether the sources of both arms contradict the share of people who were held out, on which the lift depends. Chance draws arms for people,
 * and these have several sources each: with up to 20, the bound for independent sources (Hoeffding 1963) has a 20th of their exponent.
 * @returns how many of the sources are of the holdout arm; null: the share may be right, or an arm has no source
 */
export function doubtOfShare(
  { totals }: { readonly totals: readonly Pick<TotalJson, 'group' | 'sources'>[] },
  held: number,
): ShareDoubt | null {
  const [exposed = 0, holdout = 0] = arms.map(
    (arm) => totals.find(({ group }) => isArm(Object.values(group), arm))?.sources ?? 0,
  );
  const sources = exposed + holdout;
  const bound = Math.min(lowerTailBound(sources, held, holdout), lowerTailBound(sources, 1 - held, exposed));
  return exposed > 0 && holdout > 0 && bound / SOURCES_OF_PERSON < Math.log(ERROR_PROBABILITY / 2)
    ? { sources, share: holdout / sources }
    : null;
}

/** Whether event-level reports count the conversions of both arms, however uncertainly. */
export const countArms = ({ totals }: Pick<EstimateResultJson, 'totals'>): boolean =>
  arms.every((arm) => totalOfArm(totals, arm) !== undefined);

/** Why they do not: arms without sources, and configurations whose reports do not count the conversions of an arm. */
export function lacksOfArms(configurations: readonly Analysed[]): {
  readonly missing: readonly Arm[];
  readonly uncounted: readonly string[];
} {
  const having = (arm: Arm): readonly Analysed[] =>
    configurations.filter(({ analysis }) => analysis.groups.some(({ group }) => isArm(group, arm)));
  return {
    missing: arms.filter((arm) => having(arm).length === 0),
    uncounted: configurations
      .filter((one) => unsaidBy(one) !== null && arms.some((arm) => having(arm).includes(one)))
      .map(({ tally }) => tally.name),
  };
}

/** None if some of its sources do not count conversions: it would look smaller than it is. */
const totalOfArm = (totals: EstimateResultJson['totals'], arm: string): TotalJson | undefined =>
  totals.find(({ group, covered, sources }) => isArm(Object.values(group), arm) && covered === sources);

function isLossUncertain({ lost_reports: lost, groups }: ConfigurationJson, arm: string): boolean {
  return isUncertain(lost) && groups.some(({ group }) => isArm(Object.values(group), arm));
}

const isArm = (values: readonly string[], arm: string): boolean => values.length === 1 && values[0] === arm;

/** Without those of which there is no lift. */
export const foundLifts = ({
  eventLevel,
  summary,
  histogram,
}: MeasuredLifts): readonly (readonly [kind: 'event_level' | 'summary' | 'histogram', lift: Lift])[] =>
  (
    [
      ['event_level', eventLevel],
      ['summary', summary],
      ['histogram', histogram],
    ] as const
  ).flatMap(([kind, lift]) => (lift === null ? [] : [[kind, lift] as const]));
