import { least } from '../../numeric/extremes';
import { estimatorOf } from '../../analysis/estimate/unbiased/estimator-of';
import type { SourceRegistration } from '../../src/model/registration';
import { ReportSpace } from '../../src/states/report-space';
import { shapeOf, stateOfReports, triggerDataOf } from '../../src/states/source-space';
import type { EventLevelBody } from '../../formats/reports/event-level-report';
import { estimateConfiguration } from '../sources/estimate-configuration';
import { parsedRegistration } from '../sources/configuration';
import type { Definition } from '../sources/definition';
import { reportsValue } from '../sources/mechanism';

/** The label in the noised reports of one source. */
export type Label =
  | { readonly label: string; readonly problem: null }
  /** Why there is no label. */
  | { readonly label: null; readonly problem: string | null };

export type LabelReader = (sourceTime: Date, reports: readonly EventLevelBody[]) => Label;

/** How far the clocks of ad server and device may differ when matching a report to its window; as in the estimates. */
const CLOCK_TOLERANCE_MILLISECONDS = 60_999;

/**
 * Reads the labels of a configuration's sources: the number of the state that the reports form, in decimal (`cointoss states --decode`
 * explains it), or for mechanisms on values the noisy value.
 */
export function labelReader(definition: Definition): LabelReader {
  if (reportsValue(definition.mechanism)) {
    const configuration = estimateConfiguration(definition);
    const estimator = configuration === null ? null : estimatorOf(configuration);
    return (_sourceTime, reports) =>
      valueLabel(reports, (value) => estimator === null || estimator.outputOf(value) !== null);
  }
  const registration = parsedRegistration(definition);
  const space = new ReportSpace(shapeOf(registration));
  const most = registration.maxEventLevelReports;
  return (sourceTime, reports) => {
    try {
      // At once: many sources may share an id, and anybody can send reports with it.
      if (reports.length > most)
        throw new RangeError(`there must be at most ${most} reports, there are ${reports.length}`);
      const placed = reports.map((report) => placedReport(registration, sourceTime, report));
      return { label: String(space.encode(stateOfReports(registration, placed))), problem: null };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { label: null, problem: error.message };
    }
  };
}

function valueLabel(reports: readonly EventLevelBody[], isOutput: (value: number) => boolean): Label {
  const [report, ...more] = reports;
  if (report === undefined) return { label: null, problem: null };
  if (more.length > 0)
    return { label: null, problem: `there must be one report, there are ${reports.length}` };
  if (report.noisyValue === null) return { label: null, problem: 'the report must have noisy_value' };
  if (!isOutput(report.noisyValue))
    return { label: null, problem: `the mechanism does not give ${report.noisyValue}` };
  return { label: String(report.noisyValue), problem: null };
}

/** @throws RangeError when the configuration has no such report. */
function placedReport(
  registration: SourceRegistration,
  sourceTime: Date,
  { triggerData, scheduledTime }: EventLevelBody,
): { readonly triggerData: number; readonly windowIndex: number } {
  const entry = triggerDataOf(registration).find((known) => BigInt(known.triggerData) === triggerData);
  if (entry === undefined)
    throw new RangeError(`the configuration has no trigger data ${String(triggerData)}`);
  const delay = scheduledTime - sourceTime.getTime();
  const distances = entry.spec.windows.ends.map((end) => Math.abs(end - delay));
  const nearest = least(distances);
  if (nearest > CLOCK_TOLERANCE_MILLISECONDS)
    throw new RangeError(`no report window ends ${Math.round(delay / 1000)} seconds after the source`);
  return { triggerData: entry.triggerData, windowIndex: distances.indexOf(nearest) };
}
