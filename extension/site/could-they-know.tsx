import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Report, Source } from '../../src/model/records';
import { t } from '../i18n';
import { useSession } from '../pages/state/session';
import { showDecimal } from '../pages/words/words';
import { Card } from '../pages/ui/basics';
import { EXAMPLE_PRIOR } from '../../analysis/audit/true-reports';
import { belief, beliefDespite } from '../../analysis/audit/belief';
import { BeliefCurve } from './belief-curve';
import { People } from './people';
import { Slider } from './slider';
import { LabelledSelect } from '../../ui/select';

/** Far less than a step of the sliders, whose numbers are not exact in binary. */
const ROUNDING = 1e-9;

/** What somebody who gets a report may believe about one person. */
export function CouldTheyKnow(): JSX.Element {
  const [epsilon, setEpsilon] = useState(1);
  const [percent, setPercent] = useState(EXAMPLE_PRIOR * 100);
  const [says, setSays] = useState<'bought' | 'nothing'>('bought');
  const [budget, setBudget] = useState(5);
  const prior = percent / 100;
  const after = (times: number): number =>
    (says === 'bought' ? belief : beliefDespite)(prior, epsilon, times);
  const most = Math.floor(budget / epsilon + ROUNDING);
  return (
    <>
      <h1>{t('know')}</h1>
      <Card>
        <p>{t('know_what')}</p>
        <ReportChoice
          onPick={(picked) => {
            setEpsilon(picked);
            setSays('bought');
          }}
        />
        <Slider
          id="know-epsilon"
          label={t('know_epsilon')}
          min={0.1}
          max={14}
          step={0.1}
          value={epsilon}
          onChange={setEpsilon}
        />
        <Slider
          id="know-prior"
          label={t('know_prior')}
          min={0.5}
          max={50}
          step={0.5}
          value={percent}
          onChange={setPercent}
        />
        <LabelledSelect
          id="know-says"
          label={t('know_says')}
          of={[
            ['bought', t('know_says_bought')],
            ['nothing', t('know_says_nothing')],
          ]}
          value={says}
          onChoose={setSays}
        />
      </Card>
      <div class="cards wide">
        <People title={t('know_before')} share={prior}>
          {t('know_before_words', { percent: shown(prior) })}
        </People>
        <People title={t('know_after')} share={after(1)}>
          <span id="know-after">{t('know_after_words', { percent: shown(after(1)), says })}</span>
        </People>
      </div>
      <Card title={t('know_more_title')}>
        <p>{t('know_more_what', { most })}</p>
        <Slider
          id="know-budget"
          label={t('know_budget')}
          min={1}
          max={30}
          step={0.5}
          value={budget}
          onChange={setBudget}
        />
        <BeliefCurve after={after} most={most} />
        <p id="know-more">{t('know_more_words', { most, percent: shown(after(most)) })}</p>
      </Card>
    </>
  );
}

const shown = (share: number): string => showDecimal(share * 100, 3);

/** The reports of the open file, whose source says with which ε. */
function ReportChoice({ onPick }: { readonly onPick: (epsilon: number) => void }): JSX.Element | null {
  const { snapshot } = useSession();
  const tables = snapshot?.tables;
  const reports = [...(tables?.reports ?? []), ...(tables?.finished ?? []).map(({ report }) => report)];
  const sources = new Map((tables?.sources ?? []).map((source) => [source.id, source]));
  const known = reports.flatMap((report) => {
    const source = sourceOf(report, sources);
    return report.kind === 'event-level' && source !== undefined ? [{ report, source }] : [];
  });
  if (known.length === 0) return <p class="small soft">{t('know_no_file')}</p>;
  return (
    <div class="row">
      <label for="know-report">{t('know_report')}</label>
      <select
        id="know-report"
        onChange={({ currentTarget }) => {
          const picked = known.find(({ report }) => String(report.id) === currentTarget.value);
          if (picked !== undefined) onPick(picked.source.registration.eventLevelEpsilon);
        }}
      >
        <option value="">–</option>
        {known.map(({ report }) => (
          <option key={report.id} value={report.id}>
            {t('report_title', { id: report.id })}
          </option>
        ))}
      </select>
    </div>
  );
}

const sourceOf = (report: Report, sources: ReadonlyMap<number, Source>): Source | undefined =>
  report.event === null ? undefined : sources.get(report.event.sourceId);
