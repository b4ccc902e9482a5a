import type { Limits } from '../model/limits';
import type { Trigger } from '../model/trigger';
import { days, moment, type Moment } from '../model/units';
import { bernoulli } from '../privacy/bernoulli';
import { Rational } from '../privacy/rational';
import { rationalBounds, type RealBounds } from '../privacy/real-bounds';
import { uniformBelow } from '../privacy/uniform';
import type { Addressee } from '../model/records';
import { isSentUnconditionally } from '../model/registration';
import { addReport } from '../reports/pending';
import type { Work } from '../work';
import { obtainNullReport, roundedSourceTime } from './aggregatable-report';

/** Chromium's rates: one in so many (ARA, "randomized null attribution report rate"). */
export const NULL_REPORTS_ONE_IN = { exclude: 20n, include: 125n };
const oneIn = (count: bigint): RealBounds => rationalBounds(Rational.fraction(1n, count));
const rateOf = { exclude: oneIn(NULL_REPORTS_ONE_IN.exclude), include: oneIn(NULL_REPORTS_ONE_IN.include) };

/**
 * ARA, "generate null attribution reports": so that a report does not tell that there was an attribution.
 * @param sourceTimes those of the sources whose reports the trigger made.
 * @returns for each null report, how many days before the trigger its source is said to be.
 */
export function generateNullReports(
  work: Work,
  trigger: Trigger,
  sourceTimes: readonly Moment[],
): readonly number[] {
  const drawn = drawnDays(work, trigger, sourceTimes);
  for (const day of drawn) {
    const addressee = drawnAddressee(work, trigger, day);
    addReport(work.draft, obtainNullReport(work, trigger, daysBefore(trigger, day), addressee));
  }
  return drawn;
}

/**
 * For whom a report of a source would be that was registered at a random time: on the day that the null report states, or on any day if it states
 * none. If all null reports went where those of new sources go, two collectors could compare theirs after a change: each report at the earlier
 * one would be true.
 */
function drawnAddressee(
  { limits, random, earlierAddressees = [] }: Work,
  trigger: Trigger,
  day: number,
): Addressee | null {
  // Without a change there is nothing to draw.
  if (earlierAddressees.length === 0) return null;
  const { start, end } = possibleTimes(limits, trigger, day);
  const time = start + Number(uniformBelow(random, BigInt(Math.max(end - start, 1))));
  return earlierAddressees.find(({ until }) => time < until)?.addressee ?? null;
}

/** When the source of a null report can have been registered, by what the report states: from `start` to before `end`. */
function possibleTimes(
  limits: Limits,
  trigger: Trigger,
  day: number,
): { readonly start: Moment; readonly end: number } {
  const { sourceRegistrationTime } = trigger.registration.aggregatable;
  if (sourceRegistrationTime === 'exclude')
    return { start: moment(trigger.time - limits.nullReportLookback), end: trigger.time };
  const start = roundedSourceTime(daysBefore(trigger, day));
  return { start, end: Math.min(start + days(1), trigger.time) };
}

function drawnDays(work: Work, trigger: Trigger, sourceTimes: readonly Moment[]): readonly number[] {
  const { aggregatable } = trigger.registration;
  if (aggregatable.sourceRegistrationTime === 'exclude') {
    const isMade =
      sourceTimes.length === 0 && (isSentUnconditionally(aggregatable) || isDrawn(work, 'exclude', 0));
    return isMade ? [0] : [];
  }
  const attributed = new Set(sourceTimes.map(roundedSourceTime));
  const daysBack = work.limits.nullReportLookback / days(1);
  return Array.from({ length: daysBack + 1 }, (_, day) => day).filter(
    (day) => !attributed.has(roundedSourceTime(daysBefore(trigger, day))) && isDrawn(work, 'include', day),
  );
}

/** ARA, "determine if a randomized null attribution report is generated". Without noise there is none. */
function isDrawn(work: Work, registrationTime: keyof typeof NULL_REPORTS_ONE_IN, day: number): boolean {
  const { noise, random, nullReportDays } = work;
  if (nullReportDays !== undefined) return nullReportDays.includes(day);
  return noise.kind === 'on' && bernoulli(random, rateOf[registrationTime]);
}

const daysBefore = ({ time }: Trigger, day: number): Moment => moment(time - days(day));
