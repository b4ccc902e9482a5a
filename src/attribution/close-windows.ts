import { defaultMeasurement } from '../model/mechanisms';
import type { InternalId, LabelOutput, Report, Source, UndrawnOutput } from '../model/records';
import type { Moment } from '../model/units';
import { unread } from '../trace';
import type { Deciding, Work } from '../work';
import { obtainReport, obtainReportsOf } from '../reports/event-level-report';
import { addReport, finishReport, pendingReports } from '../reports/pending';
import { ReportSpace } from '../states/report-space';
import { shapeOf, stateOfReports, triggerDataOf } from '../states/source-space';
import { closingTime, drawOutput } from './label-noise';

/** Draws the output of a source whose window has ended, unless that was done. */
export function decideWindow(
  { draft, limits, random, caches }: Omit<Deciding, 'trace'>,
  id: InternalId,
  now: Moment,
): void {
  const undrawn = draft.get('undrawn', id);
  if (undrawn === undefined) return;
  const work: Work = {
    draft,
    limits,
    trace: unread,
    caches,
    random: random(-id),
    noise: { kind: 'on' },
    delay: true,
    measurement: { ...defaultMeasurement, labelNoise: undrawn.noise },
  };
  closeWindow(work, undrawn, now);
}

/** Replaces a source's held reports by those of an ε-private output, whether or not the source still exists. */
function closeWindow(work: Work, undrawn: UndrawnOutput, now: Moment): void {
  const { draft } = work;
  const { source, noise } = undrawn;
  const held = pendingReports(draft, source.id).filter(({ event }) => event?.held);
  const truth = trueState(source, held);
  const { eventLevelEpsilon } = source.registration;
  const output = drawOutput(work, noise, eventLevelEpsilon, truth);
  for (const report of held) finishReport(draft, report, 'randomized', now);
  for (const report of reportsOf(work, source, output, truth, now)) addReport(draft, report);
  draft.delete('undrawn', undrawn.id);
  const stored = draft.get('sources', source.id);
  if (stored !== undefined)
    draft.put('sources', {
      ...stored,
      noise: { kind: 'drawn', mechanism: noise.kind, truth, output },
      attributable: false,
    });
}

function trueState({ registration }: Source, held: readonly Report[]): bigint {
  const reports = held.flatMap(({ event }) =>
    event === null ? [] : [{ triggerData: event.triggerData, windowIndex: 0 }],
  );
  return new ReportSpace(shapeOf(registration)).encode(stateOfReports(registration, reports));
}

function reportsOf(
  work: Work,
  source: Source,
  output: LabelOutput,
  truth: bigint,
  now: Moment,
): readonly Report[] {
  if (output.kind === 'state') {
    const state = new ReportSpace(shapeOf(source.registration)).decode(output.state);
    return obtainReportsOf(work, source, state, now, output.state !== truth);
  }
  const [only] = triggerDataOf(source.registration);
  const reportTime = closingTime(source);
  if (only === undefined || reportTime === null) throw new RangeError('the source has no single window');
  const report = obtainReport(
    work,
    source,
    {
      triggerData: only.triggerData,
      triggerTime: source.time,
      triggerPriority: 0n,
      triggerDebugKeys: null,
      reportTime,
      bucket: null,
      attributedTo: null,
      noisyValue: output.value,
      fake: true,
    },
    now,
  );
  return [report];
}
