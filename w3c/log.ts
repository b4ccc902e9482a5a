import type { JsonObject } from '../src/model/json';
import type { Moment } from '../src/model/units';
import type { ConversionWhy } from './engine';

/** How a call came. */
export type CallVia = 'script' | 'header' | 'by hand';

/** The names of the errors with which calls are rejected. */
export type CallError =
  | 'NotAllowedError'
  | 'NotSupportedError'
  | 'ReferenceError'
  | 'RangeError'
  | 'SyntaxError';

/** Why a call was rejected, beside options that are not valid. */
export type Refusal =
  | 'permissions-policy'
  | 'page-unknown'
  | 'not-secure'
  | 'not-activated'
  | 'no-key'
  | 'no-service'
  | 'malformed'
  | 'too-long';

export interface CallEntry {
  readonly id: number;
  readonly time: Moment;
  readonly via: CallVia;
  readonly call: 'saveImpression' | 'measureConversion';
  /** The top-level site; for a page without one, its host. */
  readonly site: string;
  readonly caller: string;
  /** As they were given. */
  readonly options: JsonObject;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly kind: 'saved' }
  | {
      readonly kind: 'measured';
      readonly why: ConversionWhy;
      /** What the sealed report holds: the buckets that are not empty. Null outside debug mode. */
      readonly holds: readonly (readonly [bucket: number, value: number])[] | null;
      /** Only of a report that a header asked for. */
      readonly sentTo?: string;
    }
  | {
      readonly kind: 'rejected';
      readonly error: CallError;
      readonly reason: Refusal | { readonly text: string };
    };
