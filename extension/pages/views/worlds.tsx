import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { recordScenario } from '../../../analysis/scenario/record';
import { chromiumLimits } from '../../../src/model/limits';
import { rich, t } from '../../i18n';
import { recordedNow } from '../state/recorded-now';
import { useSession } from '../state/session';
import { showNumber, showShort } from '../words/words';
import { RunControls } from '../simulate/run-controls';
import { quantile } from '../simulate/spread';
import { RUNS } from '../simulate/task';
import { isStill, useRuns, type Runs } from '../simulate/use-runs';
import { Card, Empty } from '../ui/basics';
import { DotCloud } from '../ui/dot-cloud';
import { linkTo } from '../ui/tags';

/** The session replayed many times, with its noise drawn anew each time: what an advertiser could have believed. */
export function Worlds(): JSX.Element {
  const session = useSession();
  const { act, truth, settings, snapshot } = session;
  const { runs, isRunning, start, stop } = useRuns();
  const [isEmpty, setIsEmpty] = useState(false);
  const replay = async (): Promise<void> => {
    const { tables, settings: recorded } = await recordedNow(session);
    const hasAds = tables.log.some((entry) => entry.kind === 'source' && entry.decision.kind === 'stored');
    setIsEmpty(!hasAds);
    if (!hasAds) return;
    start({
      kind: 'worlds',
      scenario: recordScenario(tables, { settings: recorded, limits: chromiumLimits, debug: false }),
    });
  };
  if (settings.labelNoise.kind !== 'rr')
    return (
      <>
        <h1>{t('worlds')}</h1>
        <Empty>{t('worlds_other_mechanism', { mechanism: settings.labelNoise.kind })}</Empty>
      </>
    );
  return (
    <>
      <h1>{t('worlds')}</h1>
      <Card>
        <p>{t('worlds_what', { runs: RUNS })}</p>
        {!truth && (
          <p class="banner info">
            {rich('worlds_hidden', { in: snapshot === null ? 'device' : 'file', link: linkTo('#/debug') })}
          </p>
        )}
        <RunControls
          id="replay-worlds"
          label={t('worlds_start', { runs: RUNS })}
          done={isEmpty ? 0 : (runs?.values.length ?? 0)}
          isRunning={isRunning}
          onStart={() => act(replay)}
          onStop={stop}
        />
        {isEmpty && <Empty>{rich('worlds_nothing', { link: linkTo('#/data') })}</Empty>}
        {runs !== null && !isEmpty && !(isRunning && isStill()) && <Cloud {...runs} isDone={!isRunning} />}
      </Card>
    </>
  );
}

function Cloud({ values, own, truth, isDone }: Runs & { readonly isDone: boolean }): JSX.Element {
  const middle = quantile(values, 0.5);
  const asMuch = own === null ? 0 : values.filter((value) => value >= own).length;
  return (
    <>
      <DotCloud values={values} own={own} truth={truth} label={t('worlds_cloud')} />
      <p role="status" id="worlds-result">
        {isDone &&
          t('worlds_result', {
            own: showShort(own ?? NaN),
            low: showShort(quantile(values, 0.05)),
            middle: showShort(middle),
            high: showShort(quantile(values, 0.95)),
            truth: showNumber(truth),
            n: asMuch,
            runs: values.length,
          })}
      </p>
    </>
  );
}
