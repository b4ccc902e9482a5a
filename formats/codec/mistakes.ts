import type { CheckValues, InformationCheckId } from '../../src/model/checks';
import type { PrivacyUnit } from '../../src/model/mechanisms';

/*
 * Mistakes as facts: a code and its values as JSON, which words/ puts into a language. The log stores them: a new name needs an upgrade.
 */

type None = Readonly<Record<string, never>>;

export interface ExpectationValues {
  object: None;
  boolean: None;
  string: None;
  'short-string': { readonly max: number };
  'short-text': { readonly max: number };
  'non-empty-string': None;
  choice: { readonly choice: string };
  choices: { readonly choice: string; readonly other: Expectation };
  'integer-from': { readonly min: number | string };
  'integer-range': { readonly min: number | string; readonly max: number | string };
  'number-range': { readonly min: number; readonly max: number };
  'positive-number': { readonly max: number };
  'finite-number': None;
  uint64: None;
  int64: None;
  positive: None;
  'positive-up-to': { readonly max: number };
  'positive-for-estimate': None;
  'exact-number': None;
  list: None;
  pair: None;
  'distinct-numbers': None;
  'one-of': { readonly values: string };
  'one-of-values': { readonly values: string };
  'not-negative-for-poisson': None;
  'finite-variance': None;
  'above-tau': { readonly tau: string };
  'probability-per-state': { readonly states: string };
  'key-piece': None;
  'filtering-id': { readonly bytes: number };
  destination: None;
  sites: None;
  site: None;
  'site-of-report': None;
  'sites-of-report': None;
  'secure-site': None;
  'site-name': None;
  origin: None;
  'origin-or-null': None;
  'match-pattern': None;
  time: None;
  'time-or-milliseconds': None;
  'not-seconds': None;
  'epoch-seconds': None;
  'epoch-milliseconds': None;
  'recent-time': None;
  'source-time': None;
  'trial-id': None;
  'string-with-count': None;
  'string-with-bits': None;
  'one-character': None;
  'known-in-time': None;
  uuid: None;
  base64: None;
  base64url: { readonly count: number };
  bytes: { readonly count: number };
  'sealing-key': None;
  'token-key': None;
  'bytes-up-to': { readonly max: number };
  payload: None;
  'bucket-bounds': None;
  'feature-name': None;
  'feature-value': None;
  'json-registration': None;
  'same-as-registration': { readonly other: string };
  'same-configuration': { readonly id: string };
  'known-configuration': None;
}

/** Why a text is no JSON, by its code. */
interface JsonProblemValues {
  /** Both counted from 1; `error` is jsonc-parser's name for it. */
  'json-syntax': { readonly line: number; readonly column: number; readonly error: string };
  /** A number that no double holds, such as 1e999. */
  'json-number': { readonly line: number; readonly column: number };
  'json-depth': { readonly max: number };
  'json-blank': { readonly max: number };
  /** The browser's parser refuses what jsonc-parser accepts. */
  'json-engine': None;
}

/**
 * Why the click that led to a source made it not eligible. `elsewhere`: the link has no `attributionsrc`, but an element in it or around
 * it has. `press`: no document told of a click by a person.
 */
export type ClickLack = 'attribute' | 'elsewhere' | 'feature' | 'press';

/** Why a response registers nothing, whatever its header says. */
interface IgnoredValues {
  'info-invalid': { readonly problems: readonly Issue[] };
  'source-and-trigger': None;
  'not-eligible': { readonly eligibility: string };
  'no-eligible-click': { readonly lack: ClickLack };
  'trigger-on-redirect': None;
  /** `meant`: the header whose name is like it. */
  'unknown-header': { readonly name: string; readonly meant: string };
  'os-only': None;
  'no-preferred-platform': None;
  'os-preferred': None;
  'no-reporting-origin': None;
  /** Processing it failed. */
  'not-recorded': None;
  /** `count`: in some seconds, the registrations of a site, or the messages of one origin's documents in a tab. */
  'too-many': { readonly count: number };
  'too-many-messages': { readonly count: number };
  'no-room': None;
  'page-unknown': None;
  'permissions-policy': None;
  'no-navigation': None;
  'no-source-on-way': None;
  'page-not-secure': None;
  'not-shown': None;
  'eligibility-unknown': None;
  'private-network': None;
  'not-public': None;
  /** `status` of the answer; 0: there was none. `redirects`: how many led to it, of which none registers if there was an answer. */
  'no-registration': { readonly status: number; readonly redirects: number };
  'other-scopes': None;
}

export interface MistakeValues
  extends JsonProblemValues, IgnoredValues, Pick<CheckValues, InformationCheckId> {
  /** `was`: the value as JSON, shortened. */
  'must-be': { readonly what: Expectation; readonly was: string };
  /** A mistake that would be an error elsewhere. */
  ignored: { readonly problem: Mistake };
  'not-csv': None;
  'not-json': { readonly problem: JsonProblem };
  'header-twice': None;
  'not-utf-8': { readonly column: number };
  /** In characters. */
  'too-long': { readonly length: number; readonly max: number };
  /** The log has only the beginning of a header. */
  'cut-header': { readonly length: number; readonly kept: number };
  /** Further mistakes of the same document are only counted. */
  'more-issues': { readonly count: number };
  'not-a-dictionary': { readonly problem: string };
  'not-a-platform': None;
  'not-a-flag': None;
  // Fields, lists and keys.
  'unknown-field': None;
  'missing-field': { readonly name: string };
  'missing-fields': { readonly name: string; readonly other: string };
  'repeated-field': None;
  'field-twice': None;
  'field-beside': { readonly other: string };
  /** `per-count` with a method whose noise is for K examples of a unit. */
  'uncapped-method': { readonly method: string };
  'too-few-items': { readonly min: number; readonly count: number };
  'too-many-items': { readonly max: number; readonly count: number };
  /** Of an unbiased randomizer that a device or a collector must find. */
  'too-many-to-solve': { readonly max: number; readonly count: number };
  'too-many-keys': { readonly max: number; readonly count: number };
  'too-many-values': { readonly max: number; readonly count: number };
  'repeated-item': { readonly item: string };
  'repeated-value': None;
  'unknown-debug-data': None;
  'long-key': { readonly max: number; readonly key: string };
  'reserved-key': None;
  'time-order': { readonly time: number; readonly last: number };
  // Registrations.
  'implied-field': None;
  'too-many-sites': { readonly max: number; readonly count: number };
  clamped: { readonly seconds: number };
  /** To whole days, in seconds. */
  rounded: { readonly seconds: number };
  'ignored-url-parts': { readonly site: string };
  'public-suffix': { readonly site: string };
  'unknown-source-type': None;
  'window-order': { readonly begin: number; readonly end: number };
  'too-much-trigger-data': { readonly max: number; readonly count: number };
  'repeated-trigger-data': { readonly data: number };
  'trigger-data-gaps': { readonly last: number; readonly was: string };
  'too-many-buckets': { readonly max: number; readonly count: number };
  'bucket-beyond-conversions': { readonly max: number };
  'bucket-order': { readonly previous: number; readonly bucket: number };
  'registration-time': None;
  'over-contribution-budget': { readonly sum: number; readonly max: number };
  // Settings and trials.
  'missing-selector': { readonly on: string };
  'unreadable-field': None;
  'repeated-rule': { readonly id: string };
  'gap-without-reciprocal': None;
  'gap-within-tau': { readonly tau: number };
  'cap-of-impression': None;
  'missing-cap': { readonly unit: PrivacyUnit };
  'attribution-without-epsilon': None;
  'attribution-above-epsilon': { readonly epsilon: number };
  'delta-without-epsilon': None;
  'joint-below-share': { readonly share: number; readonly was: number };
  'site-of-two-owners': { readonly site: string };
  'campaign-key': None;
  'lift-test-without-budget': None;
  'lift-test-with-aggregatable': None;
  'lift-test-with-private-attribution': None;
  'trial-without-joint': None;
  'empty-text': { readonly was: string };
  'too-many-languages': { readonly max: number };
  'no-language': None;
  'not-a-language': None;
  'end-before-start': None;
  'periods-not-in-order': None;
  'tokens-without-collector': None;
  'tokens-given-up': None;
  'debug-in-trial': None;
  'paused-in-trial': None;
  'half-character': None;
  'inexact-number': { readonly was: string };
  'wrong-signature': None;
  // Parameters of mechanisms.
  'no-numbers': None;
  'not-a-probability': { readonly was: string };
  'probabilities-sum': { readonly sum: number };
  'values-per-probability': { readonly probabilities: number; readonly was: number };
  'ascending-from-0': { readonly was: string };
  'value-order': { readonly previous: number; readonly was: string };
  'nothing-to-report': None;
  'too-many-here': { readonly max: number; readonly count: number };
  'gap-not-taken': { readonly was: string };
  'click-after-conversion': { readonly was: string };
  'click-too-late': { readonly least: string; readonly nearest: string };
  'row-length': { readonly conversions: number; readonly was: number };
  'no-weights': None;
  'too-many-matchings': { readonly max: number };
  'mechanism-impossible': { readonly problem: Issue };
  'prior-per-state': { readonly states: string };
  // Logs and messages.
  'no-user': None;
  'field-of-row': { readonly name: string };
}

export type ExpectationCode = keyof ExpectationValues;
export type MistakeCode = keyof MistakeValues;

type Fact<Values, Code extends keyof Values = keyof Values> = {
  readonly [C in Code]: { readonly code: C; readonly values: Values[C] };
}[Code];

export type Expectation = Fact<ExpectationValues>;
export type JsonProblem = Fact<JsonProblemValues>;
export type Mistake = Fact<MistakeValues>;
/** Why a response registers nothing, whatever its header says. */
export type IgnoredReason = Fact<IgnoredValues>;

/** A mistake with its place: `event_trigger_data[0].priority`, or the name of a parameter; empty for the whole. */
export type Issue = Mistake & { readonly path: string };

export type Given<Values> = string extends keyof Values ? readonly [] : readonly [values: Values];

// `Given` ensures that exactly the codes without values come without them.
export const mistake = <Code extends MistakeCode>(
  code: Code,
  ...[values]: Given<MistakeValues[Code]>
): Mistake => ({ code, values: values ?? {} }) as Mistake;

export const expectation = <Code extends ExpectationCode>(
  code: Code,
  ...[values]: Given<ExpectationValues[Code]>
): Expectation => ({ code, values: values ?? {} }) as Expectation;
