import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import type { SourceRegistration } from '../../../src/model/registration';
import { channelCapacity, largestEpsilonWithin } from '../../../src/privacy/channel-capacity';
import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { parseHeader, parseJsonHeader } from '../../../src/registration/header';
import type { Issue } from '../../../src/model/mistakes';
import type { Epsilon, Probability } from '../../../src/model/units';
import { parseTrigger } from '../../../src/registration/trigger';
import { cellMoments, standardErrorOfCell } from './cell-moments';
import { countStates } from '../../../src/states/report-space';
import { shapeOf, triggerDataOf } from '../../../src/states/source-space';
import { validateSource } from '../../../src/validate';

export type RegisterAs = SourceType | 'trigger';

/** The content of the workbench, which a link can share. */
export interface Draft {
  readonly as: RegisterAs;
  readonly text: string;
}

export const firstDraft: Draft = {
  as: 'navigation',
  text: JSON.stringify({ source_event_id: '1', destination: 'https://shop.example' }, null, 2),
};

/** The issues of a draft, and its source: null for a trigger, but not for a source that is only beyond a limit. */
export interface Checked {
  readonly source: SourceRegistration | null;
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
}

export function check({ as, text }: Draft): Checked {
  if (as === 'trigger')
    return { ...parseHeader(text, (json) => parseTrigger(json, chromiumLimits)), source: null };
  const { value: source, ...issues } = validateSource(text, as, chromiumLimits);
  return { ...issues, source };
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

/** The standard error of a cell's estimated count. All windows of a trigger data have the same. */
export interface CellError {
  readonly triggerData: readonly number[];
  readonly windows: number;
  readonly error: number;
}

/** @param share the share of sources with a report in the cell */
export function cellErrors(source: SourceRegistration, n: number, share: number): readonly CellError[] {
  const shape = shapeOf(source);
  const p = randomizedTriggerRate(countStates(shape), source.eventLevelEpsilon);
  const seen = new Map<string, { triggerData: number[]; windows: number; error: number }>();
  triggerDataOf(source).forEach(({ triggerData }, position) => {
    const entry = shape.triggerData[position];
    if (entry === undefined) return;
    const key = `${entry.windows} ${entry.maxReports}`;
    const known = seen.get(key);
    if (known !== undefined) return void known.triggerData.push(triggerData);
    const error = standardErrorOfCell(cellMoments(shape, position), p, n, n * share);
    seen.set(key, { triggerData: [triggerData], windows: entry.windows, error });
  });
  return [...seen.values()];
}

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
      return withWindows(json, endTimes(value, source.expiry / 1000));
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

function withWindows(json: JsonObject, ends: readonly number[]): JsonObject {
  const specs = specsOf(json)?.map((spec) => without(spec, 'event_report_windows'));
  return {
    ...without(json, 'event_report_window'),
    event_report_windows: { end_times: ends },
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

/** A draft as it stands in a link: base64url of its UTF-8. */
export function draftToParameters({ as, text }: Draft): URLSearchParams {
  const bytes = new TextEncoder().encode(text);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return new URLSearchParams({
    as,
    json: base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  });
}

/** Null when the link has no draft, or a damaged one. */
export function draftFrom(parameters: URLSearchParams): Draft | null {
  const as = (['navigation', 'event', 'trigger'] as const).find((name) => name === parameters.get('as'));
  const json = parameters.get('json');
  if (as === undefined || json === null) return null;
  try {
    const bytes = atob(json.replaceAll('-', '+').replaceAll('_', '/'));
    return { as, text: new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))) };
  } catch {
    return null;
  }
}

/**
 * The draft of a shared link that was pasted as text; null for other text. The link's address holds the sender's extension id, so opening
 * it elsewhere may fail.
 */
export function draftOfLink(text: string): Draft | null {
  const parameters = /^\S*#\/workbench\?(\S+)$/.exec(text.trim())?.[1];
  return parameters === undefined ? null : draftFrom(new URLSearchParams(parameters));
}
