import type { ReportKind } from '../../src/model/records';
import { factsOf, type ReceivedReport } from './reports';
import type { CountedReport } from './report-counts';

/** What is written to the database in batches. */
export type Item = { readonly report: ReceivedReport } | { readonly refusal: CountedReport };

type Written =
  | { readonly refused: ReportKind }
  | (Pick<ReceivedReport, 'kind' | 'reportId' | 'reportingOrigin' | 'reportUrl' | 'body' | 'token'> & {
      readonly receivedTime: string;
    });

/** As a line of the journal. */
export function writeItem(item: Item): string {
  if ('refusal' in item) return JSON.stringify({ refused: item.refusal.kind } satisfies Written);
  const { kind, reportId, reportingOrigin, reportUrl, receivedTime, body, token } = item.report;
  return JSON.stringify({
    ...{ kind, reportId, reportingOrigin, reportUrl, body },
    receivedTime: receivedTime.toISOString(),
    ...(token === undefined ? {} : { token }),
  } satisfies Written);
}

export function readItem(line: string): Item {
  const written = JSON.parse(line) as Written;
  if ('refused' in written) return { refusal: { kind: written.refused, outcome: 'refused' } };
  const receivedTime = new Date(written.receivedTime);
  return { report: { ...written, receivedTime, eventLevel: null, ...factsOf(written.kind, written.body) } };
}
