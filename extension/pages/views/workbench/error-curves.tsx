import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../../../i18n';
import { errorByEpsilon, errorByWindows, type Campaign, type CurvePoint } from '../../explain/cell-errors';
import { check, type Draft } from '../../explain/workbench';
import { showShort } from '../../words/words';
import { LinePlot, type PlottedLine } from '../../ui/line-plot';

interface Curves {
  readonly byEpsilon: PlottedLine;
  readonly byWindows: PlottedLine;
}

/** The largest error of any cell against ε, and against the number of report windows; with a kept draft, of both. */
export function ErrorCurves({
  draft,
  kept,
  campaign,
}: {
  readonly draft: Draft;
  readonly kept: Draft | null;
  readonly campaign: Campaign;
}): JSX.Element {
  const curves = useMemo(
    () => [curvesOf(draft, 'estimate', campaign), kept && curvesOf(kept, 'observed', campaign)],
    [draft, kept, campaign.sources, campaign.share],
  ).flatMap((found) => found ?? []);
  return (
    <div class="cards wide">
      <LinePlot
        lines={curves.map(({ byEpsilon }) => byEpsilon)}
        ticks={[0, 2, 4, 6, 8, 10, 12, 14]}
        xTitle={t('tables_column_epsilon')}
        yTitle={t('compare_error')}
        label={labelOf('epsilon', curves[0]?.byEpsilon)}
      />
      <LinePlot
        lines={curves.map(({ byWindows }) => byWindows)}
        ticks={[1, 2, 3, 4, 5]}
        xTitle={t('workbench_windows')}
        yTitle={t('compare_error')}
        label={labelOf('windows', curves[0]?.byWindows)}
      />
    </div>
  );
}

function curvesOf(draft: Draft, look: PlottedLine['look'], campaign: Campaign): Curves | null {
  const { source } = check(draft);
  if (source === null) return null;
  const line = (points: readonly CurvePoint[], at: number): PlottedLine => ({
    name: t(look === 'estimate' ? 'compare_this' : 'compare_kept'),
    look,
    // ε = 0 gives no information, and no point.
    points: points.filter(([, error]) => error > 0 && Number.isFinite(error)),
    at,
  });
  return {
    byEpsilon: line(errorByEpsilon(source, campaign), source.eventLevelEpsilon),
    byWindows: line(
      errorByWindows(draft, source, campaign),
      source.triggerSpecs[0]?.windows.ends.length ?? 0,
    ),
  };
}

function labelOf(by: 'epsilon' | 'windows', line: PlottedLine | undefined): string {
  const [first, last] = [line?.points[0], line?.points.at(-1)];
  return t('errors_curve', {
    by,
    first: first?.[0] ?? 0,
    from: showShort(first?.[1] ?? 0),
    last: last?.[0] ?? 0,
    to: showShort(last?.[1] ?? 0),
  });
}
