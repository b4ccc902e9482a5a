export const EVENT_LEVEL = '/.well-known/attribution-reporting/report-event-attribution';
export const DEBUG = '/.well-known/attribution-reporting/debug/report-event-attribution';
export const VERBOSE = '/.well-known/attribution-reporting/debug/verbose';

export const AGGREGATABLE = '/.well-known/attribution-reporting/report-aggregate-attribution';

export const report = {
  attribution_destination: 'https://shop.example',
  randomized_trigger_rate: 0.0024263,
  report_id: '8e2f1c3a-0b1d-4c5e-9f60-718293a4b5c6',
  scheduled_report_time: '1795392000',
  source_event_id: '18446744073709551615',
  source_type: 'navigation',
  trigger_data: '3',
};

export const aggregatable = {
  aggregation_coordinator_origin: 'https://aggregation.example',
  aggregation_service_payloads: [{ key_id: 'a', payload: 'AAEC' }],
  shared_info: JSON.stringify({
    api: 'attribution-reporting',
    attribution_destination: 'https://shop.example',
    report_id: report.report_id,
    reporting_origin: 'https://ads.example',
    scheduled_report_time: '1795392000',
    version: '1.0',
  }),
};

export interface Line {
  readonly kind: string;
  readonly cursor: number;
  readonly received_time: string;
  readonly [field: string]: unknown;
}

let lastId = 0;

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A report with a unique id. */
export const freshReport = (changes: object = {}): typeof report => ({
  ...report,
  report_id: idOf(++lastId),
  ...changes,
});

export const post = (
  url: string,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
  });

export async function linesAt<T = Line>(url: string): Promise<T[]> {
  const response = await fetch(url);
  return (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** A metric's values by labels, as written. */
export async function metric(origin: string, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(values.map(([, labels = '', value]) => [labels, Number(value)]));
}
