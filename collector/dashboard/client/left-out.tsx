import type { JSX } from 'preact';
import type { EstimateResultJson } from '../../../analysis/estimate/result/estimate-result';
import type { DashboardMessage } from '../../../words/dashboard';
import { t } from './language';
import { showCount, showSeconds, showTime } from './words';

/** The meaning of each count, in the order in which a line is checked. */
const ofSources: readonly (readonly [name: string, says: DashboardMessage])[] = [
  ['read', 'sources-read'],
  ['used', 'sources-used'],
  ['open', 'sources-open'],
  ['heartbeats', 'sources-heartbeats'],
  ['unknown_configuration', 'sources-unknown-configuration'],
  ['ambiguous', 'sources-ambiguous'],
  ['reused', 'sources-reused'],
  ['missing', 'sources-missing'],
  ['impossible', 'sources-impossible'],
  ['flooded', 'sources-flooded'],
  ['incomplete', 'sources-incomplete'],
];

const ofReports: readonly (readonly [name: string, says: DashboardMessage])[] = [
  ['read', 'reports-read'],
  ['used', 'reports-used'],
  ['late', 'reports-late'],
  ['other_rate', 'reports-other-rate'],
  ['unknown_source', 'reports-unknown-source'],
  ['unused_source', 'reports-unused-source'],
];

const inconsistencies: readonly (readonly [name: string, says: DashboardMessage])[] = [
  ['trigger_data', 'reports-trigger-data'],
  ['window', 'reports-window'],
  ['bucket', 'reports-bucket'],
  ['too_many', 'reports-too-many'],
  ['value', 'reports-value'],
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
    <h2>{t('based-on')}</h2>
    {asOf !== null && grace != null && (
      <p class="soft" data-as-of={asOf}>
        {t('as-of', { time: showTime(Date.parse(asOf)), grace: showSeconds(grace) })}
      </p>
    )}
    {asOf !== null && clockAhead !== undefined && (
      <p class="soft" data-as-of={asOf} data-clock-ahead={clockAhead}>
        {t('rehearsal', {
          ahead: showSeconds(HOUR * Math.ceil(clockAhead / HOUR)),
          time: showTime(Date.parse(asOf)),
        })}
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
  readonly of: readonly (readonly [name: string, says: DashboardMessage])[];
  readonly counts: Readonly<Record<string, unknown>>;
}): JSX.Element => (
  <dl>
    {of.map(([name, says], index) => {
      const number = Number(counts[name] ?? 0);
      return number === 0 && index > 1 ? null : (
        <div key={name} data-count={name}>
          <dd>{showCount(number)}</dd>
          <dt>{t(says)}</dt>
        </div>
      );
    })}
  </dl>
);
