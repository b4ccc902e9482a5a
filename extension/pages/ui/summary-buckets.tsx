import type { JSX } from 'preact';
import { MAX_UINT32, type SourceRegistration } from '../../../src/model/registration';
import { bucketRange } from '../../../src/states/source-space';
import { t } from '../../i18n';
import { allOf, showNumber } from '../words/words';

/** Which sum of values each report of a flexible source stands for. */
export const SummaryBuckets = ({
  registration,
}: {
  readonly registration: SourceRegistration;
}): JSX.Element => (
  <div class="stack" id="summary-buckets">
    <h3>{t('buckets_title')}</h3>
    {registration.triggerSpecs.map((spec) => (
      <div key={spec.triggerData.join()}>
        <p>
          {t('buckets_of', { data: allOf(spec.triggerData.map(String)), operator: spec.summaryOperator })}
        </p>
        <ol>
          {spec.summaryBuckets.map((start, bucket) => {
            const [first, last] = bucketRange(spec, bucket);
            return (
              <li key={start}>
                {t('buckets_range', {
                  first: showNumber(first),
                  last: last === MAX_UINT32 ? 'none' : showNumber(last),
                })}
              </li>
            );
          })}
        </ol>
      </div>
    ))}
  </div>
);
