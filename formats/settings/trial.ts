import type { SourceType } from '../../src/model/limits';
import type { SourceRegistration } from '../../src/model/registration';
import type { Settings } from './settings';
import type { Moment } from '../../src/model/units';

/** At least one text, by BCP 47 tag. */
export type TextByLanguage = ReadonlyMap<string, string>;

/** One text in an unstated language, or one for each language. */
export type LocalizedText = string | TextByLanguage;

export interface Trial {
  /** Identifies the trial; another id is another trial. */
  readonly id: string;
  /** Increases with each published change. A version of a signed trial that is not higher changes nothing. */
  readonly version: number;
  readonly title: LocalizedText;
  readonly researcher: { readonly name: string; readonly contact: string };
  readonly information: TextByLanguage;
  /** In force while the person takes part, but they may still pause, and debug mode is off. */
  readonly settings: Settings;
  /** The sources that the trial's ad server registers, if the trial states them; only shown to people. */
  readonly registrations: readonly StatedRegistration[];
  /** Nothing is recorded before; null: from consent on. */
  readonly start: Moment | null;
  readonly end: Moment;
  /** Null: reports need no token. */
  readonly tokens: TrialTokens | null;
  /** Null: not signed. `readTrial` checks it. */
  readonly signature: TrialSignature | null;
}

/** The tokens that reports to the collector spend (docs/tokens.md): one key for each period, the same for all participants. */
export interface TrialTokens {
  /** How many tokens each participant gets for a period. */
  readonly batch: number;
  /** At least one, in order. Each ends where the next begins. */
  readonly periods: readonly TokenPeriod[];
}

export interface TokenPeriod {
  readonly from: Moment;
  readonly until: Moment;
  /** As RFC 9578 encodes it, in base64url. */
  readonly key: string;
}

/** Ed25519 over everything but `value`. */
export interface TrialSignature {
  /** 32 bytes in base64url. */
  readonly publicKey: string;
  /** 64 bytes in base64url. */
  readonly value: string;
}

/** A kind of source that a trial's ad server registers. */
export interface StatedRegistration {
  readonly name: LocalizedText;
  readonly sourceType: SourceType;
  readonly registration: SourceRegistration;
}
