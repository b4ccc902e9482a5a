import type { Json } from './json';
import type { SourceType } from './limits';
import type { SourceRegistration } from './registration';
import type { Settings } from './settings';
import type { Moment } from './units';

/** At least one text, by BCP 47 tag. */
export type TextByLanguage = ReadonlyMap<string, string>;

/** One text in an unstated language, or one for each language. */
export type LocalizedText = string | TextByLanguage;

export interface Trial {
  /** Identifies the trial for good; another id is another trial. */
  readonly id: string;
  /** Must be raised when something outside this file changes that participants agreed to. */
  readonly consentVersion: number;
  readonly title: LocalizedText;
  readonly researcher: { readonly name: string; readonly contact: string };
  readonly information: TextByLanguage;
  /** In force while the person takes part, but they may still pause, and debug mode is off. */
  readonly settings: Settings;
  /** The sources that the trial's ad server registers, as far as it says; only shown to people. */
  readonly registrations: readonly StatedRegistration[];
  /** Nothing is recorded before; null: from consent on. */
  readonly start: Moment | null;
  readonly end: Moment;
}

/** A kind of source that a trial's ad server registers. */
export interface StatedRegistration {
  readonly name: LocalizedText;
  readonly sourceType: SourceType;
  readonly registration: SourceRegistration;
}

/** `declining`, `withdrawing`: the records are still to be erased, if necessary after a restart. */
export type Answer = 'accepted' | 'declined' | 'declining' | 'withdrawing';

/** A person's answer when asked whether Cointoss may record, and what they were asked. */
export interface Agreement {
  readonly answer: Answer;
  /** On the device's clock. */
  readonly time: number;
  /** The trial's configuration as shown; null: Cointoss without a trial. */
  readonly trial: Json | null;
}

/**
 * | standing      | records | sends |
 * | ------------- | ------- | ----- |
 * | `unanswered`  | no      | no    |
 * | `declined`    | no      | no    |
 * | `not-started` | no      | yes   |
 * | `recording`   | yes     | yes   |
 * | `ended`       | no      | yes   |
 */
export type Standing = 'unanswered' | 'declined' | 'not-started' | 'recording' | 'ended';
