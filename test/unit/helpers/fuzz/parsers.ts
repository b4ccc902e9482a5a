import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { CellError } from '../../../../analysis/simulation/cells';
import { parseCsvMapping, RowMapper } from '../../../../analysis/simulation/csv-mapping';
import { LogProfile } from '../../../../analysis/simulation/log-profile';
import { parseLogLine } from '../../../../analysis/simulation/log-line';
import { recordedIn } from '../../../../analysis/simulation/recorded/recorded';
import { parseScenario } from '../../../../analysis/scenario/scenario';
import { readJson } from '../../../../cli/io/input';
import { loggedSource, type ParsedSource } from '../../../../collector/sources/logged-source';
import { contentMessage } from '../../../../extension/background/observe/content-message';
import { frameAnswer } from '../../../../extension/background/documents/frame-answer';
import {
  containerPolicy,
  declaredPolicy,
} from '../../../../extension/background/documents/permissions-policy';
import type { ContentMessage } from '../../../../extension/content-messages';
import { parseSnapshot, snapshotToJson } from '../../../../extension/pages/data/snapshot/snapshot-json';
import { type Json } from '../../../../src/model/json';
import { chromiumLimits, type SourceType } from '../../../../src/model/limits';
import { defaultSettings } from '../../../../formats/settings/settings';
import { parseSettings } from '../../../../formats/settings/parse-settings';
import { parse, type Parsed } from '../../../../formats/codec/issues';
import { readJsonText } from '../../../../formats/codec/json-text';
import { parseMatchPattern } from '../../../../recording/match-pattern';
import { fillIn, recordingRule } from '../../../../recording/rules';
import { parseJsonHeader } from '../../../../formats/registration/header';
import { parseEligible, parseInfo } from '../../../../recording/structured-headers';
import { serializeSource, serializeTrigger } from '../../../../formats/registration/serialize';
import { parseSource } from '../../../../formats/registration/source';
import { parseTrigger } from '../../../../formats/registration/trigger';
import { parseTrial, serializeTrial } from '../../../../formats/settings/parse-trial';
import { aggregatableReport } from '../../../../formats/reports/aggregatable-report';
import { verboseReport } from '../../../../formats/reports/debug-report';
import { eventLevelReport } from '../../../../formats/reports/event-level-report';
import { tokenBatchAnswer, tokenBatchRequest } from '../../../../formats/tokens/issuance';
import { reportLine } from '../../../../formats/reports/report-line';
import { sourceRow } from '../../../../formats/sources/source-row';
import { aggregatable, report } from '../collector-client';
import { anySource, anyTrigger } from '../registrations';
import { mutated, mutatedText, type Dice } from './mutations';
import { toJson } from '../../../../formats/codec/plain-json';
import { jointly } from '../budgets';

/** A parser under fuzzing. */
export interface FuzzedParser {
  readonly seeds: readonly Json[];
  readonly mutate: (dice: Dice, seed: Json) => string;
  readonly read: (text: string) => Parsed<unknown>;
  /** Whether issues name places in the document itself. */
  readonly precise: boolean;
  /** The value in canonical form, which must read as the same value. */
  readonly write?: (value: never) => Json;
}

const refused: Parsed<never> = { value: null, errors: [], warnings: [] };

/** A parser of JSON, whose text is read as registration headers are. */
const ofJson = <T>(
  seeds: readonly Json[],
  read: (json: Json) => Parsed<T>,
  write?: (value: T) => Json,
): FuzzedParser => ({
  seeds,
  mutate: mutated,
  precise: false,
  read: (text) => {
    const { value, problem } = readJsonText(text);
    return problem === null ? read(value) : refused;
  },
  ...(write === undefined ? {} : { write: write }),
});

/** Made when somebody asks for them, because that takes most of a second. */
function sampled<T>(arbitrary: fc.Arbitrary<T>, write: (value: T) => Json): () => readonly Json[] {
  let seeds: readonly Json[] | null = null;
  return () => (seeds ??= fc.sample(arbitrary, { seed: 1, numRuns: 200 }).map(write));
}

const ofSources = {
  event: sampled(anySource('event'), serializeSource),
  navigation: sampled(anySource('navigation'), serializeSource),
};
const ofTriggers = sampled(anyTrigger, serializeTrigger);

const sourceOf = (type: SourceType): FuzzedParser => ({
  get seeds() {
    return ofSources[type]();
  },
  mutate: mutated,
  precise: true,
  read: (text) => {
    const json = parseJsonHeader(text);
    return json.errors.length > 0 ? json : parseSource(json.value, type, chromiumLimits);
  },
  write: serializeSource,
});

const registration = { destination: 'https://shop.example', source_event_id: '7', trigger_data: [0, 1, 2] };

const rule: Json = {
  id: 'thanks',
  matches: ['https://*.shop.example/thanks*', '*://shop.example:8080/a*b*c?order=*'],
  selector: '.order',
  on: 'submit',
  register: 'trigger',
  reportingOrigin: 'https://adtech.example',
  registration: {
    event_trigger_data: [
      { value: { $extract: { selector: '.total', as: 'money' } }, trigger_data: '1' },
      { value: { $extract: { attribute: 'data-count', as: 'integer' } } },
    ],
    filters: {
      product: [
        { $extract: { as: 'text' } },
        { $extract: { selector: 'a', attribute: 'href', as: 'origin' } },
      ],
    },
  },
};

const settings: Json = {
  ...(toJson(defaultSettings) as object),
  pausedSites: ['https://bank.example'],
  collector: 'https://collector.example',
  rules: [rule],
  labelNoise: { kind: 'rr-on-bins', values: [0, 5, 20], prior: [0.5, 0.25, 0.25], loss: 'absolute' },
  attribution: { kind: 'exponential', epsilon: 1, score: 'reciprocal', tau: 60, gap: 120 },
  budget: {
    unit: 'user',
    period: 30,
    epsilon: 8,
    delta: 0.01,
    attributionEpsilon: 1,
    cap: 10,
    joint: jointly(9, 4),
    owners: [['https://a.example']],
  },
};

const trial: Json = {
  id: 'ad-recall',
  version: 2,
  title: { en: 'Recall', de: 'Erinnerung' },
  researcher: { name: 'R', contact: 'r@uni.example' },
  information: { en: 'We count.' },
  settings: { rules: [rule], collector: 'https://collector.example', budget: { joint: jointly(9, 4) } },
  start: '2027-01-01T00:00Z',
  end: '2027-03-01T00:00:00+01:00',
};

const casesFolder = path.resolve(__dirname, '../../../conformance/cases');
const scenarios = readdirSync(casesFolder)
  .slice(0, 40)
  .map((file) => readJson(path.join(casesFolder, file)));

const row: Json = {
  source_event_id: '7',
  reporting_origin: 'https://adtech.example',
  time: '2026-01-31T12:00:00Z',
  source_type: 'event',
  registration,
  epsilon: 1.5,
  mechanism: { kind: 'unbiased', values: [0, 1, '1/3'], prior: ['1/2', 0.25, '0.25'] },
  campaign: 'summer',
  position: 3.5,
};

const noisyReport: Json = { ...(report as object), noisy_value: 2.5 };
const arrived: Json = {
  ...(report as object),
  cursor: 5,
  kind: 'event-level',
  received_time: '2026-11-22T08:00:00.000Z',
  reporting_origin: 'https://adtech.example',
  report_url: null,
};
const debugLine: Json = {
  kind: 'verbose-debug',
  reporting_origin: 'https://adtech.example',
  received_time: '2026-11-22T08:00:00.000Z',
  data: [{ type: 'source-success', body: { source_event_id: '1' } }],
};

/** Rows of files. */
export const seeds = { row, arrived };

const csvMapping: Json = {
  delimiter: ';',
  user: 'uid',
  unit: 'seconds',
  events: [
    {
      when: { clicked: ['1', 'yes'] },
      time: 'timestamp',
      once: 'id',
      event: { registration_request: { context_origin: 'https://{site}' }, responses: [] },
    },
  ],
};

const recordedHar = {
  log: {
    pages: [{ id: 'page_1', title: 'https://news.example/' }],
    entries: [
      {
        startedDateTime: '2026-03-01T10:00:00.000Z',
        pageref: 'page_1',
        request: {
          url: 'https://ads.example/',
          headers: [{ name: 'Referer', value: 'https://news.example/' }],
        },
        response: { headers: [{ name: 'Attribution-Reporting-Register-Source', value: '{}' }] },
      },
    ],
  },
};

const recordedUser = {
  input: {
    sources: [
      {
        registration_request: { source_type: 'event', registrant: 'com.news' },
        responses: [
          {
            url: 'https://ads.example',
            response: {
              'Attribution-Reporting-Register-Source': {
                destination: 'android-app://com.shop',
                web_destination: [],
              },
            },
          },
        ],
        timestamp: '800000000001',
      },
    ],
    web_triggers: [],
    installs: [{}],
  },
};

const recordedRow = {
  user_id: 'U1',
  enrollment_id: 'https://ads.example/r1',
  attribution_destination: 'https://shop.example',
  timestamp: 1_642_271_444_000,
  event_trigger_data: [{ trigger_data: 1 }],
  aggregatable_values: { a: '1' },
  api_choice: 'WEB',
};

const logLine: Json = {
  user: 'u1',
  timestamp: '1800000000000',
  registration_request: {
    context_origin: 'https://news.example',
    'Attribution-Reporting-Eligible': 'event-source',
  },
  responses: [
    {
      url: 'https://adtech.example/x',
      response: { 'Attribution-Reporting-Register-Source': JSON.stringify(registration) },
    },
  ],
};

/** What a rule makes of a page's text, as JSON of a registration. */
function filledIn(text: string): Parsed<unknown> {
  const { registration } = rule as { readonly registration: Json };
  return {
    value: fillIn(registration, [text, text, text, text]),
    errors: [],
    warnings: [],
  };
}

const featuresOf = ({ value, ...issues }: Parsed<ParsedSource | null>): Parsed<unknown> => ({
  value: value?.source.features ?? null,
  ...issues,
});

/** As JSON, because the payload is in bytes. */
function readAggregatable(json: Json): Parsed<Json> {
  const { value, ...issues } = parse(json, aggregatableReport);
  return { value: value === null ? null : aggregatableReport.write(value), ...issues };
}

/** One of each kind, so that a new kind does not compile without one. */
const contentMessages: {
  readonly [Kind in ContentMessage['kind']]: Extract<ContentMessage, { readonly kind: Kind }>;
} = {
  'eligible-request': { kind: 'eligible-request', url: 'https://ad.example/x', getsRule: true },
  'eligible-fetch': { kind: 'eligible-fetch', url: 'https://ad.example/x', eligibility: 'event-source' },
  wake: { kind: 'wake' },
  'link-pressed': { kind: 'link-pressed', url: 'https://shop.example/' },
  navigation: {
    kind: 'navigation',
    url: 'https://shop.example/',
    sources: ['https://ad.example/x'],
    press: 1,
    time: 1_800_000_000_000,
    inMenu: false,
  },
  'ineligible-click': {
    kind: 'ineligible-click',
    url: 'https://shop.example/',
    lack: 'feature',
    time: 1_800_000_000_000,
    inMenu: false,
  },
  attributionsrc: { kind: 'attributionsrc', urls: ['https://ad.example/x', 'https://ad.example/y'] },
  'trial-link': { kind: 'trial-link', url: 'https://uni.example/trial.json' },
  activation: { kind: 'activation' },
  'attribution-call': {
    kind: 'attribution-call',
    call: 'saveImpression',
    options: '{"histogramIndex":3}',
  },
  'lift-ad': {
    kind: 'lift-ad',
    reportingOrigin: 'https://ad.example',
    destination: 'https://shop.example',
    campaign: 'spring',
  },
  rules: { kind: 'rules' },
  'rule-met': { kind: 'rule-met', ruleId: 'thanks', values: ['5', null] },
};

const frameAnswers: readonly Json[] = [
  [[{ allow: "attribution-reporting 'none'", src: 'https://ad.example/' }], []],
  [],
];

/** By name, as tests call them. */
export const fuzzedParsers: Readonly<Record<string, FuzzedParser>> = {
  'navigation sources': sourceOf('navigation'),
  'event sources': sourceOf('event'),
  triggers: {
    get seeds() {
      return ofTriggers();
    },
    mutate: mutated,
    precise: true,
    read: (text) => {
      const json = parseJsonHeader(text);
      return json.errors.length > 0 ? json : parseTrigger(json.value, chromiumLimits);
    },
    write: serializeTrigger,
  },
  'structured headers': {
    seeds: [
      'preferred-platform=os;a=1, report-header-errors=?0, x=(1 "a" :aGk=:);q=2.5',
      'event-source, trigger;b, *x',
    ],
    mutate: (dice, seed) => mutatedText(dice, seed as string),
    precise: false,
    read: (text) => {
      const eligible = parseEligible(text);
      return eligible.value === null ? eligible : parseInfo(text);
    },
  },
  settings: ofJson([settings, toJson(defaultSettings)], parseSettings, toJson),
  trials: ofJson([trial], parseTrial, serializeTrial),
  'requests for tokens': ofJson(
    [
      {
        invitation: 'A',
        member: 'A'.repeat(43),
        key_id: 'A'.repeat(43),
        blinded: Array<string>(2).fill('A'.repeat(342)),
      },
    ],
    (json) => parse(json, tokenBatchRequest),
    (request) => tokenBatchRequest.write(request),
  ),
  'signed tokens': ofJson(
    [{ signatures: Array<string>(2).fill('A'.repeat(342)) }],
    (json) => parse(json, tokenBatchAnswer),
    (answer) => tokenBatchAnswer.write(answer),
  ),
  scenarios: ofJson(scenarios, (json) => parseScenario(json, chromiumLimits)),
  snapshots: ofJson(
    [
      snapshotToJson({
        time: 1,
        clockAhead: 0,
        truth: true,
        settings: defaultSettings,
        tables: {
          sources: [{ id: 1, states: 10n ** 27n, filterData: new Map([['a', ['b']]]) }],
          reports: [],
          finished: [],
          spends: [],
          log: [{ id: 3, kind: 'refused', errors: [], warnings: [], checks: [] }],
        },
      } as never),
    ],
    parseSnapshot,
    snapshotToJson,
  ),
  rules: ofJson([rule], (json) => parse(json, recordingRule), toJson),
  "a page's text": {
    seeds: [
      '€ 1.234,50',
      '1,204 points',
      "12'345.6",
      '3',
      'https://a.example/x',
      '9007199254740993',
      '9'.repeat(400),
    ],
    mutate: (dice, seed) => mutatedText(dice, seed as string),
    precise: false,
    read: filledIn,
  },
  'match patterns': {
    seeds: ['https://*.shop.example:8080/a*b*c', '*://*/*', 'http://localhost/x?y=*'],
    mutate: (dice, seed) => mutatedText(dice, seed as string),
    precise: false,
    read: (text) => {
      const pattern = parseMatchPattern(text);
      pattern?.matches(text.replaceAll('*', 'x'));
      return { value: pattern?.withoutPort ?? null, errors: [], warnings: [] };
    },
  },
  'report bodies': ofJson(
    [report, noisyReport],
    (json) => parse(json, eventLevelReport),
    eventLevelReport.write,
  ),
  'debug reports': ofJson(
    [[{ type: 'source-success', body: { source_event_id: '1' } }]],
    (json) => parse(json, verboseReport),
    verboseReport.write,
  ),
  'report lines': ofJson([arrived, debugLine, { ...(arrived as object), noisy_value: 1 }], (json) =>
    parse(json, reportLine),
  ),
  'source logs': ofJson([row], (json) =>
    parse(
      json,
      sourceRow(() => null),
    ),
  ),
  'stored sources': ofJson([{ ...(row as object), mechanism: { kind: 'rr' } }], (json) =>
    featuresOf(parse(json, loggedSource(new Map()))),
  ),
  'CSV mappings': ofJson([csvMapping], (json) => {
    const parsed = parseCsvMapping(json);
    try {
      if (parsed.value !== null)
        new RowMapper(parsed.value, new LogProfile(parsed.value.events.length)).eventsOf(() => '1');
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
    }
    return parsed;
  }),
  'aggregatable reports': ofJson<Json>([aggregatable], readAggregatable, toJson),
  'answers about frames': ofJson(frameAnswers, (json) => parse(json, frameAnswer), toJson),
  'messages of content scripts': ofJson(
    Object.values(contentMessages).map(toJson),
    (json) => parse(json, contentMessage),
    toJson,
  ),
  'Permissions Policies': {
    seeds: [
      'attribution-reporting=(self "https://ad.example"), camera=()',
      "camera; attribution-reporting 'self' https://ad.example",
    ],
    mutate: (dice, seed) => mutatedText(dice, seed as string),
    precise: false,
    read: (text) => ({
      value: [
        declaredPolicy(text, 'https://news.example'),
        containerPolicy(text, 'https://news.example', 'https://ad.example/'),
      ],
      errors: [],
      warnings: [],
    }),
  },
  'log lines': ofJson([logLine], parseLogLine),
  'files of other programs': ofJson(
    [recordedHar, recordedUser, recordedRow],
    (json) => recordedIn(json, 'a.har') ?? refused,
  ),
};
