import type { Limits } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import { defaultSettings, type Settings } from '../../formats/settings/settings';
import { settings } from '../../formats/settings/parse-settings';
import { days, moment, type Moment, type Origin } from '../../src/model/units';
import type { StateReport } from '../../src/states/source-space';
import { eligibilityOf, type Eligibility } from '../../recording/eligibility';
import { boolean, integer, list, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parseEligible } from '../../recording/structured-headers';
import { parse, type Parsed, type Place } from '../../formats/codec/issues';
import { originOfUrl } from '../../src/model/origin';
import { MAX_EXPIRY, MAX_UINT32 } from '../../src/model/registration';
import { Rational } from '../../src/privacy/rational';
import { apiConfig, type ApiConfig } from './api-config';
import {
  callConfig,
  defaultCallConfig,
  scenarioCalls,
  scenarioHistograms,
  timestamp,
  type CallConfig,
  type ScenarioCall,
  type ScenarioCalls,
  type ScenarioHistogram,
  type StatedHistogram,
} from './calls/scenario-calls';
import { writtenHeader } from './written-header';

/** A response with registration headers; redirects give a chain of them. */
export interface ScenarioResponse {
  readonly time: Moment;
  readonly url: string;
  /** Null for a request that may not register anything. */
  readonly reportingOrigin: Origin | null;
  readonly debugPermission: boolean;
  /** The reports of a noised source; null when it reports truthfully. */
  readonly randomizedResponse: readonly Pick<StateReport, 'triggerData' | 'windowIndex'>[] | null;
  /** The null reports of a trigger, by how many days before it their sources are said to be; null: left to the noise. */
  readonly nullReportDays: readonly number[] | null;
  /** The public probability that the source or the conversion counts, above 0; null: it does. Only matchings use it. */
  readonly chance: Rational | null;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** The place in the file. */
  readonly path: string;
}

/** What happens in a scenario: the network comes or goes, a page is opened, or a request is answered. */
export type ScenarioEvent =
  | { readonly kind: 'connection'; readonly time: Moment; readonly up: boolean }
  | { readonly kind: 'navigation'; readonly time: Moment }
  | {
      readonly kind: 'request';
      readonly time: Moment;
      readonly contextOrigin: Origin;
      readonly eligibility: Eligibility;
      readonly fenced: boolean;
      readonly responses: readonly ScenarioResponse[];
    };

/** A report in a scenario file and in the output of replay. */
export interface ScenarioReport {
  readonly report_time: string;
  readonly report_url: string;
  readonly payload: Json;
}

/** What Attribution Reporting makes of a scenario (docs/contracts.md, "Scenario files"; the format of Chromium's interoperability cases). */
export interface RegistrationScenario {
  readonly config: ApiConfig;
  /** Replay only uses the delivery profile and, in debug mode, the delay. */
  readonly settings: Settings;
  readonly events: readonly ScenarioEvent[];
  readonly reports: readonly ScenarioReport[];
}

/** A scenario file. */
export interface Scenario extends RegistrationScenario {
  readonly w3c: ScenarioCalls;
}

/** What a replay makes of a scenario. */
export interface Replayed {
  readonly reports: readonly ScenarioReport[];
  readonly histograms: readonly ScenarioHistogram[];
}

/** Reads a scenario file. @param limits the values that `api_config` overrides. */
export function parseScenario(document: Json, limits: Limits): Parsed<Scenario> {
  return parse(document, (place) => {
    const fields = new Fields(place);
    fields.optional('description', string, '');
    const config = fields.optional('api_config', apiConfig(limits), { limits, navigationRetry: null });
    const w3c = fields.optional('w3c', callConfig, defaultCallConfig);
    const { calls, events } = fields.required('input', input(w3c), { calls: [], events: [] });
    const { histograms, reports } = fields.optional('output', output, { histograms: [], reports: [] });
    const scenario = {
      config,
      settings: fields.optional('cointoss', cointoss, scenarioSettings),
      events,
      reports,
      w3c: { ...w3c, calls, histograms },
    };
    fields.warnUnknown();
    return scenario;
  });
}

/** Chromium's delivery, which the format's original cases expect. */
export const replaySettings: Settings = { ...defaultSettings, deliveryProfile: 'chrome' };

/** The cases of the format state reports of both kinds, and limits to the letter of the specification. */
export const scenarioSettings: Settings = {
  ...replaySettings,
  aggregatableReports: true,
  limits: 'specification',
};

const cointoss: Parser<Settings> = (place) => {
  const fields = new Fields(place);
  const found = fields.optional('settings', settings(scenarioSettings), scenarioSettings);
  fields.warnUnknown();
  return found;
};

interface Input {
  readonly events: readonly ScenarioEvent[];
  readonly calls: readonly ScenarioCall[];
}

const input =
  ({ limits }: CallConfig): Parser<Input> =>
  (place) => {
    const fields = new Fields(place);
    const events = fields.required('registrations', list(scenarioEvent), []);
    let last = -Infinity;
    for (const time of events.flatMap(timesOf)) {
      if (time < last) place.error('time-order', { time, last });
      last = time;
    }
    const calls = fields.optional('w3c', scenarioCalls(limits), []);
    fields.warnUnknown();
    return { events, calls };
  };

/** The times of an event's parts: the responses to a request come one after the other. */
export const timesOf = (event: ScenarioEvent): number[] =>
  event.kind === 'request' ? event.responses.map(({ time }) => time) : [event.time];

/** One of `registrations[]`. */
const scenarioEvent: Parser<ScenarioEvent> = (place) => {
  const fields = new Fields(place);
  const event = eventOf(fields);
  fields.warnUnknown();
  return event;
};

/** The event of an object that can have more fields. @param originOf can remember: a log names few origins */
export function eventOf(fields: Fields, originOf = originOfUrl): ScenarioEvent {
  const time = fields.required('timestamp', timestamp, moment(0));
  if (fields.has('connection'))
    return { kind: 'connection', time, up: fields.optional('connection', boolean, true) };
  if (fields.has('navigation')) {
    fields.optional('navigation', boolean, true);
    return { kind: 'navigation', time };
  }
  const context = fields.required('registration_request', request(originOf), noRequest);
  const responses = fields.required('responses', list(response(time, originOf), { min: 1 }), []);
  return { kind: 'request', time, responses, ...context };
}

interface Request {
  readonly contextOrigin: Origin;
  readonly eligibility: Eligibility;
  readonly fenced: boolean;
}

const noRequest: Request = { contextOrigin: '' as Origin, eligibility: 'unset', fenced: false };

const request =
  (originOf: typeof originOfUrl): Parser<Request> =>
  (place) => {
    const fields = new Fields(place);
    const context = {
      contextOrigin: fields.required('context_origin', suitableOrigin(originOf), '' as Origin),
      eligibility: fields.optional('Attribution-Reporting-Eligible', eligible, 'unset'),
      fenced: fields.optional('fenced', boolean, false),
    };
    fields.warnUnknown();
    return context;
  };

const eligible: Parser<Eligibility> = (place) => {
  const { value, errors } = parseEligible(string(place));
  for (const error of errors) place.add(error);
  return value === null ? 'unset' : eligibilityOf(value);
};

const suitableOrigin =
  (originOf: typeof originOfUrl): Parser<Origin> =>
  (place) => {
    const origin = typeof place.value === 'string' ? originOf(place.value) : null;
    if (origin === null) place.expected('origin');
    return origin ?? ('' as Origin);
  };

const nullReportDays = list(integer(0, MAX_EXPIRY / days(1)));

const response =
  (requestTime: Moment, originOf: typeof originOfUrl): Parser<ScenarioResponse> =>
  (place) => {
    const fields = new Fields(place);
    const url = fields.required('url', string, '');
    const parsed = {
      time: fields.optional('timestamp', timestamp, requestTime),
      url,
      reportingOrigin: originOf(url),
      debugPermission: fields.optional('debug_permission', boolean, false),
      randomizedResponse: fields.optional('randomized_response', randomizedResponse, null),
      nullReportDays: fields.optional<readonly number[] | null>(
        'null_aggregatable_reports_days',
        nullReportDays,
        null,
      ),
      chance: fields.optional<Rational | null>('chance', chance, null),
      headers: fields.required('response', headers, new Map<string, string>()),
      path: place.path,
    };
    fields.warnUnknown();
    return parsed;
  };

/** A number, or the text of a decimal or a fraction. */
const chance: Parser<Rational> = (place) => {
  const { value } = place;
  const parsed = typeof value === 'number' || typeof value === 'string' ? Rational.parse(value) : null;
  if (parsed !== null && parsed.sign > 0n && parsed.compare(Rational.ONE) <= 0n) return parsed;
  place.expected('positive-up-to', { max: 1 });
  return Rational.ONE;
};

const randomizedResponse: Parser<ScenarioResponse['randomizedResponse']> = (place) =>
  place.value === null
    ? null
    : list((at) => {
        const fields = new Fields(at);
        const report = {
          triggerData: fields.required('trigger_data', integer(0, MAX_UINT32), 0),
          windowIndex: fields.required('report_window_index', integer(0, 4), 0),
        };
        fields.warnUnknown();
        return report;
      })(place);

/** A header's value is text, or JSON written directly, which is easier to read. */
const headers: Parser<ReadonlyMap<string, string>> = (place) => {
  const fields = new Fields(place);
  const found = new Map<string, string>();
  for (const name of fields.names()) found.set(name.toLowerCase(), fields.optional(name, headerText, ''));
  return found;
};

const headerText: Parser<string> = ({ value }) => (typeof value === 'string' ? value : writtenHeader(value));

interface Output {
  readonly reports: readonly ScenarioReport[];
  readonly histograms: readonly StatedHistogram[];
}

const output: Parser<Output> = (place) => {
  const fields = new Fields(place);
  const reports = fields.required(
    'reports',
    list((at) => {
      const report = new Fields(at);
      return {
        report_time: report.required('report_time', string, ''),
        report_url: report.required('report_url', string, ''),
        payload: report.required<Json>('payload', (payload: Place) => payload.value, null),
      };
    }),
    [],
  );
  return { reports, histograms: fields.optional('histograms', scenarioHistograms, []) };
};
