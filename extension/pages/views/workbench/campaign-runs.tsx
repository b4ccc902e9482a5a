import type { JSX } from 'preact';
import { t } from '../../../i18n';
import { cellErrors, type Campaign } from '../../explain/cell-errors';
import { check, type Draft } from '../../explain/workbench';
import { showNumber, showShort } from '../../words/words';
import { RunControls } from '../../simulate/run-controls';
import { mean, standardDeviation } from '../../simulate/spread';
import { RUNS } from '../../simulate/task';
import { isStill, useRuns, type Runs } from '../../simulate/use-runs';
import { DotCloud } from '../../ui/dot-cloud';

/** Of one campaign; more would take minutes. */
const MOST_SOURCES = 10_000;

/** Many campaigns with the same sources, to see the error that the table computes. */
export function CampaignRuns({
  draft,
  campaign,
}: {
  readonly draft: Draft;
  readonly campaign: Campaign;
}): JSX.Element {
  const { runs, isRunning, start, stop } = useRuns();
  const run = { ...campaign, sources: Math.min(MOST_SOURCES, campaign.sources) };
  return (
    <div class="stack">
      <h3>{t('campaigns_title')}</h3>
      <p class="soft small">{t('campaigns_what', { runs: RUNS, sources: run.sources })}</p>
      <RunControls
        id="run-campaigns"
        label={t('campaigns_start', { runs: RUNS })}
        done={runs?.values.length ?? 0}
        isRunning={isRunning}
        onStart={() => start({ kind: 'campaigns', draft, campaign: run })}
        onStop={stop}
      />
      {runs !== null && !(isRunning && isStill()) && (
        <Cloud runs={runs} isDone={!isRunning} draft={draft} campaign={run} />
      )}
    </div>
  );
}

function Cloud({
  runs: { values, truth, own },
  isDone,
  draft,
  campaign,
}: {
  readonly runs: Runs;
  readonly isDone: boolean;
  readonly draft: Draft;
  readonly campaign: Campaign;
}): JSX.Element {
  const { source } = check(draft);
  const [cell] = source === null ? [] : cellErrors(source, campaign);
  return (
    <>
      <DotCloud values={values} own={own} truth={truth} label={t('campaigns_cloud')} />
      <p role="status" id="campaigns-result">
        {isDone &&
          t('campaigns_result', {
            mean: showShort(mean(values)),
            measured: showShort(standardDeviation(values)),
            computed: showShort(cell?.error ?? NaN),
            truth: showNumber(truth),
          })}
      </p>
    </>
  );
}
