import type { Row } from '../../../scenarios/kit';

type Headers = Readonly<Record<string, string>>;

export const source = (id: number, destination: string | readonly string[], more: object = {}): Headers => ({
  'Attribution-Reporting-Register-Source': JSON.stringify({
    source_event_id: String(id),
    destination,
    ...more,
  }),
});

export const trigger = (data: number, more: object = {}): Headers => ({
  'Attribution-Reporting-Register-Trigger': JSON.stringify({
    event_trigger_data: [{ trigger_data: String(data), ...more }],
  }),
});

/** The first label of an origin's host: `shop` of `http://shop.localhost:8081`. */
const label = (origin: unknown): string => /^https?:\/\/([^.:]+)/.exec(String(origin))?.[1] ?? String(origin);

/** A log entry in words: "event source 7 on publisher by adtech". */
export function inWords(entry: Row): string {
  const { kind, sourceType, register, contextOrigin, reportingOrigin, header, decision } = entry;
  const where = `on ${label(contextOrigin)} by ${label(reportingOrigin)}`;
  if (kind === 'refused') return `refused ${String(register)} ${where}`;
  // Its header may be missing.
  if (kind === 'ignored') return `ignored ${where}`;
  const json = JSON.parse(String(header)) as {
    readonly source_event_id?: string;
    readonly event_trigger_data?: readonly { readonly trigger_data: string }[];
  };
  if (kind === 'trigger') return `trigger ${String(json.event_trigger_data?.[0]?.trigger_data)} ${where}`;
  const outcome = (decision as Row)['kind'];
  const rejected = outcome === 'stored' ? '' : `, ${String(outcome)}`;
  return `${String(sourceType)} source ${String(json.source_event_id)} ${where}${rejected}`;
}
