import type { JsonObject } from '../../../../src/model/json';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../../../formats/registration/header';

const START = Date.UTC(2027, 0, 15);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const NEWS = 'https://news.example';
const SHOP = 'https://shop.example';

/** What an ad server answers to a request of a page, and how long after the beginning of its mistake. */
interface Step {
  readonly after: number;
  readonly page: string;
  readonly header: string;
  readonly value: string | JsonObject;
}

const ad = (fields: JsonObject = {}): Step => shown({ destination: SHOP, ...fields });
const shown = (value: string | JsonObject): Step => ({
  after: 0,
  page: NEWS,
  header: REGISTER_SOURCE,
  value,
});
/** No ad names this one. */
const BAKERY = 'https://bakery.example';

const sale = (value: JsonObject = { event_trigger_data: [{ trigger_data: '1' }] }, after = HOUR): Step => ({
  ...{ after, page: SHOP, header: REGISTER_TRIGGER, value },
});
const data = (fields: JsonObject): JsonObject => ({ event_trigger_data: [fields] });

/** By the name of the ad server that makes it, short enough for a column of the log. The last step comes to nothing. */
export const mistakes: Readonly<Record<string, readonly Step[]>> = {
  misspelt: [shown({ destinaton: SHOP })],
  'not-json': [shown('{ "destination": "https://shop.example"')],
  number: [ad({ priority: 5 })],
  insecure: [shown({ destination: 'http://shop.example' })],
  'too-many': [ad({ max_event_level_reports: 20 })],
  malformed: [ad(), sale({ event_trigger_data: 3 })],
  'no-data': [ad(), sale({})],
  'no-source': [{ ...sale(), page: BAKERY }],
  'another-site': [ad({ destination: 'https://bank.example' }), sale()],
  refused: [ad({ source_event_id: 7 }), sale()],
  expired: [ad({ expiry: '86400' }), sale(undefined, 2 * DAY)],
  'too-late': [ad({ event_report_window: '3600' }), sale(undefined, 2 * DAY)],
  filters: [
    ad({ filter_data: { product: ['shoes'] } }),
    sale({ ...data({ trigger_data: '1' }), filters: { product: ['hats'] } }),
  ],
  'same-key': [
    ad({ max_event_level_reports: 2 }),
    sale(data({ trigger_data: '1', deduplication_key: '5' })),
    sale(data({ trigger_data: '1', deduplication_key: '5' }), 2 * HOUR),
  ],
  'other-data': [ad({ trigger_data_matching: 'exact' }), sale(data({ trigger_data: '5' }))],
};

/** A scenario in which 15 ad servers make a mistake each, a minute apart. */
export function sampleSession(): JsonObject {
  const registrations = Object.entries(mistakes).flatMap(([name, steps], index) =>
    steps.map(({ after, page, header, value }) => ({
      time: START + index * 60_000 + after,
      request: {
        context_origin: page,
        ...(header === REGISTER_SOURCE ? { 'Attribution-Reporting-Eligible': 'event-source' } : {}),
      },
      response: { url: `https://${name}.example/`, response: { [header]: value } },
    })),
  );
  return {
    input: {
      registrations: registrations
        .sort((a, b) => a.time - b.time)
        .map(({ time, request, response }) => ({
          timestamp: String(time),
          registration_request: request,
          responses: [response],
        })),
    },
  };
}
