import type { OutputShape } from '../../../analysis/estimate/quantities/quantities';
import { ReportSpace } from '../../../src/states/report-space';
import { reportsOfState, shapeOf, triggerDataOf } from '../../../src/states/source-space';
import { t } from './language';
import { showSeconds } from './words';

/** Describes the states of a configuration as `0 by 2 d, 3 by 7 d`: trigger data and window ends. */
export function stateReader(shape: OutputShape): (state: string) => string {
  const space = new ReportSpace(shapeOf(shape));
  const ends = new Map(triggerDataOf(shape).map(({ triggerData, spec }) => [triggerData, spec.windows.ends]));
  return (state) => {
    const reports = reportsOfState(shape, space.decode(BigInt(state)));
    if (reports.length === 0) return t('state-empty');
    return reports
      .map(({ triggerData, windowIndex, bucket }) => {
        const end = ends.get(triggerData)?.[windowIndex] ?? 0;
        const reached = shape.flexible ? ` ≥ ${bucketStart(shape, triggerData, bucket)}` : '';
        return t('state-report', { what: `${triggerData}${reached}`, end: showSeconds(end / 1000) });
      })
      .join(', ');
  };
}

const bucketStart = (shape: OutputShape, triggerData: number, bucket: number): number =>
  triggerDataOf(shape).find((entry) => entry.triggerData === triggerData)?.spec.summaryBuckets[bucket] ?? 0;
