import type { JSX } from 'preact';
import type { EstimateResultJson } from '../../../analysis/estimate/estimate-result';
import { showCount, showSeconds, showTime } from './words';

/** What each count means, in the order in which a line is checked. */
const ofSources: readonly (readonly [name: string, words: string])[] = [
  ['read', 'sources in the log'],
  ['used', 'used'],
  ['open', 'with a report window that was still open: more reports may come'],
  ['unknown_configuration', 'with a configuration whose reports say nothing (ε is 0)'],
  ['ambiguous', 'that reports cannot tell apart'],
  ['missing', 'that did not report their value'],
  ['impossible', 'with an output that their mechanism cannot give'],
  ['incomplete', 'used, although a report of a lower value bucket is missing'],
];

const ofReports: readonly (readonly [name: string, words: string])[] = [
  ['read', 'event-level reports'],
  ['used', 'used'],
  ['late', 'used, although they came more than an hour late'],
  ['other_rate', 'used, although they state a different noise rate than their source'],
  ['unknown_source', 'of a source that is not in the log'],
  ['unused_source', 'of a source that is not used'],
];

const inconsistencies: readonly (readonly [name: string, words: string])[] = [
  ['trigger_data', 'with trigger data that their source does not have'],
  ['window', 'due when no report window of their source ends'],
  ['bucket', 'with a value bucket that their source does not have or has already reported'],
  ['too_many', 'more than their source may have'],
  ['value', 'without a value, or with one that their mechanism cannot give'],
];

/** In seconds. */
const HOUR = 3600;

/** Which sources and reports the estimates use, and which they leave out. */
export const LeftOut = ({
  estimates: { sources, reports, as_of: asOf, grace, clock_ahead: clockAhead },
}: {
  readonly estimates: EstimateResultJson;
}): JSX.Element => (
  <section class="card" id="left-out" tabIndex={-1}>
    <h2>What the estimates are based on</h2>
    {asOf !== null && grace != null && (
      <p class="soft" data-as-of={asOf}>
        Sources whose last report window ended by {showTime(asOf)}. Their reports then had{' '}
        {showSeconds(grace)} to arrive.
      </p>
    )}
    {asOf !== null && clockAhead !== undefined && (
      <p class="soft" data-as-of={asOf} data-clock-ahead={clockAhead}>
        A rehearsal: reports came up to {showSeconds(HOUR * Math.ceil(clockAhead / HOUR))} before they were
        due, so clocks are turned forward. Used are sources whose last report window ended by {showTime(asOf)}
        , which is now on the clock that is furthest ahead. If you turned it further since the last report,
        choose “include open windows”. The source log must have times of the turned clock.
      </p>
    )}
    <div class="counts">
      <Counts of={ofSources} counts={sources} />
      <Counts of={[...ofReports, ...inconsistencies]} counts={{ ...reports, ...reports.inconsistent }} />
    </div>
  </section>
);

const Counts = ({
  of,
  counts,
}: {
  readonly of: readonly (readonly [name: string, words: string])[];
  readonly counts: Readonly<Record<string, unknown>>;
}): JSX.Element => (
  <dl>
    {of.map(([name, words], index) => {
      const number = Number(counts[name] ?? 0);
      return number === 0 && index > 1 ? null : (
        <div key={name} data-count={name}>
          <dd>{showCount(number)}</dd>
          <dt>{words}</dt>
        </div>
      );
    })}
  </dl>
);
