import type { InternalId, Report } from '../model/records';
import { after, milliseconds, moment, type Duration, type Moment } from '../model/units';
import type { RandomSource } from '../privacy/random-source';
import { shuffle, uniformBelow } from '../privacy/uniform';
import type { Operation, RandomStreams } from '../work';
import { LONGEST_WAIT, MAX_OFFLINE_DELAY } from './next-step';

/** Due reports in the order in which they are sent: a random one (ARA, "queue reports for delivery"). */
export const sendingOrder = (reports: readonly Report[], random: RandomStreams): readonly Report[] =>
  reports.length < 2 ? reports : shuffle(random(0), byContent(reports));

/** In an order that does not depend on their numbers, which no seed decides. */
function byContent(reports: readonly Report[]): readonly Report[] {
  const named = reports.map((report) => ({
    report,
    name: JSON.stringify([report.kind, report.url, report.body]),
  }));
  return named.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))).map(({ report }) => report);
}

/** Puts off the next try of a report, because its server does not answer. */
export const postponement = (id: InternalId, until: Moment): Operation<void> => ({
  needs: () => [{ of: 'reports', id }],
  decide: (draft) => {
    const report = draft.get('reports', id);
    if (report !== undefined) draft.put('reports', { ...report, nextAttempt: until });
  },
});

/**
 * Delays each report that was to be tried by `last` by a random time, so that reports do not show by their arrival that they belong together
 * (ARA, "queue reports for delivery").
 * @param longest the longest delay
 */
export const spreading = (
  last: number,
  now: Moment,
  longest: Duration = MAX_OFFLINE_DELAY,
): Operation<void> =>
  rescheduling(last, (_report, words) =>
    after(now, milliseconds(Number(uniformBelow(words, BigInt(longest) + 1n)))),
  );

/** The latest time of a next try, unless a clock that was ahead has put it off. */
export const latestTry = (now: Moment): number => now + LONGEST_WAIT;

/** Makes those reports due when they were to be sent whose next try a clock that was ahead has put off: by years, perhaps. */
export const resumption = (now: Moment): Operation<void> =>
  rescheduling(Infinity, ({ nextAttempt, reportTime }) => {
    const latest = latestTry(now);
    // Not at once: it may have been tried before its window had ended.
    return nextAttempt > latest && reportTime <= latest ? reportTime : nextAttempt;
  });

/** Makes all pending reports due at `now`, whatever their window (WebDriver's "send pending reports"). */
export const hurrying = (now: Moment): Operation<void> =>
  rescheduling(Infinity, ({ nextAttempt }) => moment(Math.min(nextAttempt, now)));

/** Reschedules each report whose next try is due by `last`. */
const rescheduling = (
  last: number,
  nextAttemptOf: (report: Report, words: RandomSource) => Moment,
): Operation<void> => ({
  needs: () => [{ of: 'reports', index: 'nextAttempt', upTo: last }],
  decide: (draft, random) => {
    const words = random(0);
    for (const report of byContent(draft.upTo('reports', 'nextAttempt', last))) {
      const nextAttempt = nextAttemptOf(report, words);
      if (nextAttempt !== report.nextAttempt) draft.put('reports', { ...report, nextAttempt });
    }
  },
});
