import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import type { SourceRegistration } from '../../../src/model/registration';
import { channelCapacity, largestEpsilonWithin } from '../../../src/privacy/channel-capacity';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import {
  parseHeader,
  parseJsonHeader,
  REGISTER_SOURCE,
  REGISTER_TRIGGER,
} from '../../../formats/registration/header';
import type { Issue } from '../../../formats/codec/mistakes';
import type { Epsilon, Probability } from '../../../src/model/units';
import { serializeSource, serializeTrigger } from '../../../formats/registration/serialize';
import { parseTrigger } from '../../../formats/registration/trigger';
import { countStates } from '../../../src/states/report-space';
import { shapeOf, triggerDataOf } from '../../../src/states/source-space';
import { validateSource } from '../../../formats/registration/validate';
import { fromBase64Url, toBase64Url } from '../../../formats/codec/base64-url';

export type RegisterAs = SourceType | 'trigger';

/** The content of the workbench, which a link can share. */
export interface Draft {
  readonly as: RegisterAs;
  readonly text: string;
}

/** The issues of a draft, and its source: null for a trigger, but not for a source that is only beyond a limit. */
export interface Checked {
  readonly source: SourceRegistration | null;
  /** With every default filled in, as `cointoss validate` gives it; null unless the draft registers. */
  readonly effective: Json;
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
}

export function check({ as, text }: Draft): Checked {
  if (as === 'trigger') {
    const { value: trigger, ...issues } = parseHeader(text, (json) => parseTrigger(json, chromiumLimits));
    return { ...issues, source: null, effective: trigger === null ? null : serializeTrigger(trigger) };
  }
  const { value: source, ...issues } = validateSource(text, as, chromiumLimits);
  const registers = source !== null && issues.errors.length === 0;
  return { ...issues, source, effective: registers ? serializeSource(source) : null };
}

export interface Figures {
  readonly states: bigint;
  readonly epsilon: Epsilon;
  readonly rate: Probability;
  readonly bits: number;
  readonly maxBits: number;
  /** The largest ε with which the capacity stays within the limit. */
  readonly largestEpsilon: Epsilon;
}

export function figuresOf(source: SourceRegistration, type: SourceType): Figures {
  const states = countStates(shapeOf(source));
  const epsilon = source.eventLevelEpsilon;
  const maxBits = chromiumLimits.maxChannelCapacity[type];
  return {
    states,
    epsilon,
    rate: randomizedTriggerRate(states, epsilon),
    bits: channelCapacity(states, epsilon),
    maxBits,
    largestEpsilon: largestEpsilonWithin(maxBits, states, chromiumLimits.maxSettableEpsilon),
  };
}

/** A scenario in which a page registers the draft once. */
export const scenarioOf = ({ as, text }: Draft): Json => ({
  input: {
    registrations: [
      {
        timestamp: '0',
        registration_request: {
          context_origin: as === 'trigger' ? 'https://shop.example' : 'https://news.example',
          ...(as === 'trigger' ? {} : { 'Attribution-Reporting-Eligible': `${as}-source` }),
        },
        responses: [
          {
            url: 'https://adtech.example/',
            response: { [as === 'trigger' ? REGISTER_TRIGGER : REGISTER_SOURCE]: text },
          },
        ],
      },
    ],
  },
});

export type Knob = 'epsilon' | 'windows' | 'triggerData' | 'reports' | 'buckets';

/** The draft with one slider moved, or unchanged when its text is no JSON object. */
export const turn = (draft: Draft, knob: Knob, value: number, source: SourceRegistration): Draft =>
  edited(draft, (json) => turned(json, knob, value, source));

/** The draft with its JSON changed, or unchanged when its text is no JSON object. */
export function edited(draft: Draft, change: (json: JsonObject) => JsonObject): Draft {
  const json = parseJsonHeader(draft.text).value;
  if (json === null || !isJsonObject(json)) return draft;
  return { ...draft, text: JSON.stringify(change(json), null, 2) };
}

function turned(json: JsonObject, knob: Knob, value: number, source: SourceRegistration): JsonObject {
  switch (knob) {
    case 'epsilon':
      return { ...json, event_level_epsilon: value };
    case 'reports':
      return { ...json, max_event_level_reports: value };
    case 'triggerData':
      return withTriggerData(json, range(value));
    case 'windows':
      return withWindows(json, { end_times: endTimes(value, source.expiry / 1000) });
    case 'buckets':
      return withBuckets(json, value, source);
  }
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

export const without = (json: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));

const specsOf = ({ trigger_specs: specs }: JsonObject): readonly JsonObject[] | null =>
  Array.isArray(specs) ? (specs as readonly Json[]).filter(isJsonObject) : null;

function withTriggerData(json: JsonObject, data: readonly number[]): JsonObject {
  const first = specsOf(json)?.[0];
  return first === undefined
    ? { ...json, trigger_data: data }
    : { ...json, trigger_specs: [{ ...first, trigger_data: data }] };
}

/** The default windows of a month, scaled to end at the expiry. */
function endTimes(windows: number, expiry: number): readonly number[] {
  const shares: Readonly<Record<number, readonly number[]>> = {
    1: [30],
    2: [7, 30],
    3: [2, 7, 30],
    4: [1, 2, 7, 30],
    5: [1, 2, 7, 14, 30],
  };
  return (shares[windows] ?? [30]).map((share) => Math.round((expiry * share) / 30));
}

/** The draft with these report windows, in seconds after the source. */
export const withWindowEnds = (draft: Draft, start: number, ends: readonly number[]): Draft =>
  edited(draft, (json) =>
    withWindows(json, { ...(start === 0 ? {} : { start_time: start }), end_times: ends }),
  );

function withWindows(json: JsonObject, windows: JsonObject): JsonObject {
  const specs = specsOf(json)?.map((spec) => without(spec, 'event_report_windows'));
  return {
    ...without(json, 'event_report_window'),
    event_report_windows: windows,
    ...(specs === undefined ? {} : { trigger_specs: specs }),
  };
}

/** With 0 buckets, triggers are counted one by one. Otherwise values add up, and each bucket starts at twice the previous one. */
function withBuckets(json: JsonObject, buckets: number, source: SourceRegistration): JsonObject {
  const data = triggerDataOf(source).map(({ triggerData }) => triggerData);
  if (buckets === 0) return { ...without(json, 'trigger_specs'), trigger_data: data };
  return {
    ...without(json, 'trigger_data'),
    max_event_level_reports: Math.max(buckets, source.maxEventLevelReports),
    trigger_specs: [
      {
        trigger_data: data,
        summary_operator: 'value_sum',
        summary_buckets: range(buckets).map((index) => 10 * 2 ** index),
      },
    ],
  };
}

/** What the workbench holds: the draft at hand, and one kept to compare it with. */
export interface Bench {
  readonly draft: Draft;
  readonly kept: Draft | null;
}

export const firstBench: Bench = {
  draft: {
    as: 'navigation',
    text: JSON.stringify({ source_event_id: '1', destination: 'https://shop.example' }, null, 2),
  },
  kept: null,
};

/** As it stands in a link. */
export const benchToParameters = ({ draft, kept }: Bench): URLSearchParams =>
  new URLSearchParams([...parametersOf(draft, ''), ...(kept === null ? [] : parametersOf(kept, KEPT))]);

/** Null when the link has no draft, or a damaged one. */
export function benchFrom(parameters: URLSearchParams): Bench | null {
  const draft = draftFrom(parameters, '');
  return draft === null ? null : { draft, kept: draftFrom(parameters, KEPT) };
}

/** Before the names of the kept draft's parameters. */
const KEPT = 'kept-';

/** base64url of its UTF-8. */
const parametersOf = ({ as, text }: Draft, before: string): [string, string][] => [
  [`${before}as`, as],
  [`${before}json`, toBase64Url(new TextEncoder().encode(text))],
];

function draftFrom(parameters: URLSearchParams, before: string): Draft | null {
  const as = (['navigation', 'event', 'trigger'] as const).find(
    (name) => name === parameters.get(`${before}as`),
  );
  const json = fromBase64Url(parameters.get(`${before}json`));
  return as === undefined || json === null ? null : { as, text: new TextDecoder().decode(json) };
}

const WORKBENCH = '#/workbench?';

/**
 * The content of a shared link that was pasted as text; null for other text. The link's address holds the sender's extension id, so opening
 * it elsewhere may fail.
 */
export function benchOfLink(text: string): Bench | null {
  const link = text.trim();
  const start = link.lastIndexOf(WORKBENCH);
  return start < 0 || /\s/.test(link)
    ? null
    : benchFrom(new URLSearchParams(link.slice(start + WORKBENCH.length)));
}
