import type { Json } from './json';
import type { Settings } from './settings';
import type { Moment } from './units';

/** By language, a BCP 47 tag; one at least. */
export type TextByLanguage = ReadonlyMap<string, string>;

/** In one language for everybody, which is not said, or by language. */
export type LocalizedText = string | TextByLanguage;

/** A field trial, as whoever runs it describes it to those who take part. */
export interface Trial {
  /** Names the trial for as long as it exists; another id is another trial. */
  readonly id: string;
  /** To be raised when something outside of this file changed that participants have agreed to. */
  readonly consentVersion: number;
  readonly title: LocalizedText;
  readonly researcher: { readonly name: string; readonly contact: string };
  /** Plain text. */
  readonly information: TextByLanguage;
  /** In force for as long as the person takes part. Pausing stays theirs, and debug mode is off. */
  readonly settings: Settings;
  /** Nothing is recorded before; null: from the consent on. */
  readonly start: Moment | null;
  /** Nothing is recorded from then on. */
  readonly end: Moment;
}

/** `declining` and `withdrawing`: what was recorded is still to be erased, also by the background's next life. */
export type Answer = 'accepted' | 'declined' | 'declining' | 'withdrawing';

/** What a person answered when asked whether Cointoss may record, and what it was about. */
export interface Agreement {
  readonly answer: Answer;
  /** Of the device's clock. */
  readonly time: number;
  /** The trial's configuration as they were shown it; null: Cointoss by itself. */
  readonly trial: Json | null;
}

/**
 * Whether anything may be recorded and sent.
 *
 * | standing      | records | sends |
 * | ------------- | ------- | ----- |
 * | `unanswered`  | no      | no    |
 * | `declined`    | no      | no    |
 * | `not-started` | no      | yes   |
 * | `recording`   | yes     | yes   |
 * | `ended`       | no      | yes   |
 */
export type Standing = 'unanswered' | 'declined' | 'not-started' | 'recording' | 'ended';
