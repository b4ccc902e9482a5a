import type { ErasingScope } from './erasing/erase-part';
import type { DebugCondition } from './model/facts';
import type { Json } from './model/json';
import type { DebugSettings, Settings } from './model/settings';
import type { Standing } from './model/trial';
import type { Eligibility } from './model/requests';

/**
 * What a content script tells the background worker. It runs beside a page, so all of it is untrusted input: the
 * background takes tab, frame and origins from the browser's `sender`, and nothing here can name another origin.
 */
export type ContentMessage =
  /** A request that this document makes itself (`src`, fetch, XHR, or the navigation it starts) is eligible. */
  | {
      readonly kind: 'eligible-request';
      readonly via: 'element' | 'fetch' | 'navigation';
      readonly url: string;
      readonly eligibility: Eligibility;
    }
  /** A link that makes its navigation eligible was pressed: should it be followed, the header is to be there in time. */
  | { readonly kind: 'link-pressed'; readonly url: string }
  /** The URLs of an `attributionsrc`, to be requested by the background. */
  | {
      readonly kind: 'attributionsrc';
      readonly urls: readonly string[];
      readonly eligibility: 'event-source-or-trigger' | 'navigation-source';
    }
  /** A person followed a link to the configuration of a trial, which they are to be shown. */
  | { readonly kind: 'trial-link'; readonly url: string }
  /** Which recording rules apply to this document? Answered with `ContentRule[]`. */
  | { readonly kind: 'rules' }
  /** An element met a rule; `values` are the raw strings found, in the order of the rule's extractors. */
  | { readonly kind: 'rule-met'; readonly ruleId: string; readonly values: readonly (string | null)[] };

/** What a recording rule asks of the page; the rest of it stays in the background. */
export interface ContentRule {
  readonly id: string;
  readonly selector: string | null;
  readonly on: 'viewable' | 'click' | 'visit' | 'submit';
  readonly extractors: readonly { readonly selector: string | null; readonly attribute: string | null }[];
}

/** The most rows that one answer to `list` has. */
export const MOST_LISTED = 1000;

/** What the extension's own pages may ask of the background worker. */
export type PageMessage =
  | { readonly kind: 'overview'; readonly site: string | null }
  /** The newest rows, newest first: `limit` of them, but `MOST_LISTED` at most. With `before`, of those with smaller ids. */
  | {
      readonly kind: 'list';
      readonly table: 'sources' | 'reports' | 'finished' | 'log';
      readonly limit: number;
      readonly before?: number;
    }
  | { readonly kind: 'get-settings' }
  | { readonly kind: 'set-settings'; readonly settings: Partial<Settings> }
  | { readonly kind: 'advance-clock'; readonly by: number | 'next-report' | 'next-window' }
  /** Set the clock to a moment, in milliseconds since the epoch; while `frozen` it stands still there. */
  | { readonly kind: 'set-clock'; readonly to: number; readonly frozen: boolean }
  | { readonly kind: 'reset-clock' }
  /** Send what is due now, rather than at the next alarm. */
  | { readonly kind: 'send-due' }
  /** Send every report now, whatever its window. */
  | { readonly kind: 'send-pending' }
  /** Send this report now. */
  | { readonly kind: 'send-report'; readonly id: number }
  /** The next source that has such a state gets it as its output, a decimal string; null takes that back. */
  | { readonly kind: 'force-state'; readonly state: string | null }
  /** Register this header as if that origin had answered on that page. Answered with the log's entry. */
  | {
      readonly kind: 'register';
      readonly register: 'navigation' | 'event' | 'trigger';
      readonly header: string;
      readonly contextOrigin: string;
      readonly reportingOrigin: string;
    }
  /** Other limits, in the form of a scenario's `api_config`; null takes them back. */
  | { readonly kind: 'set-limits'; readonly limits: Json }
  /** What happened so far as a scenario file that replays; with debug reports only if asked. Answered with its JSON. */
  | { readonly kind: 'export-scenario'; readonly debug: boolean }
  /** Erases what was recorded: everything, unless `scope` names a part. Answered with `Cleared`. */
  | { readonly kind: 'clear'; readonly scope?: ErasingScope }
  /** Brings back what the last `clear` erased, for some seconds after it. */
  | { readonly kind: 'undo-clear' }
  | ParticipationMessage;

/** What the pages may ask about consent and trials; all is answered with a `ParticipationView`. */
export type ParticipationMessage =
  /** What there is to agree to, and what was answered. */
  | { readonly kind: 'get-participation' }
  /** Put this trial before the person. */
  | { readonly kind: 'offer-trial'; readonly trial: Json }
  /** The person agrees to what they were shown: this trial, or Cointoss by itself. */
  | { readonly kind: 'accept'; readonly trial: Json | null }
  /** The person says no to what they were shown. */
  | { readonly kind: 'decline'; readonly trial: Json | null }
  /** Stop, and erase everything. */
  | { readonly kind: 'withdraw' }
  /** Take back the trial that was put before the person, and that they did not agree to. */
  | { readonly kind: 'forget-trial' };

/** How the person stands to the trial that there is, or to Cointoss without one. */
export interface ParticipationView {
  readonly standing: Standing;
  /** As it was written; null: there is none. */
  readonly trial: Json | null;
  /** Why it cannot be read, and so not agreed to. */
  readonly problem: string | null;
  /** Whether it was set by policy. */
  readonly managed: boolean;
  /** When it was accepted, on the device's clock. */
  readonly acceptedAt: number | null;
  /** Whether something else was agreed to before: another trial, none, or the same one as it was then. */
  readonly hadAgreed: boolean;
  /** Whether to accept erases what was recorded so far, because it was for another trial or none. */
  readonly acceptingErases: boolean;
}

/** The overview after `clear`, and how many rows that erased. */
export interface Cleared extends Overview {
  readonly erased: number;
}

/** The name of the channel on which the background tells the pages which rows changed. */
export const CHANGES_CHANNEL = 'cointoss-changes';

/** By table, the ids of rows that were put or deleted; `all` when there were too many to name. */
export type ChangesMessage = Readonly<Record<string, readonly number[] | 'all'>>;

/** What is not as in production now: what a registration would be processed with, and what waits for one. */
export type Difference = DebugCondition | { readonly id: 'next-state-forced'; readonly state: string };

/** The answer to `overview`, and to all that changes the clock or sends. Times are milliseconds of Cointoss's clock. */
export interface Overview {
  readonly now: number;
  /** Milliseconds by which the clock is ahead of the device's. */
  readonly clockAhead: number;
  /** What is not as in production, for every page to say. */
  readonly differences: readonly Difference[];
  readonly debugEnabled: boolean;
  /** The switches in force. */
  readonly debug: DebugSettings;
  /** The state that the next source gets, or null. */
  readonly forcedState: string | null;
  readonly paused: boolean;
  readonly pausedHere: boolean;
  readonly standing: Standing;
  /** The trial that the person was asked about, in short. */
  readonly trial: {
    readonly title: string;
    /** A BCP 47 tag; null where the trial does not say. */
    readonly titleLanguage: string | null;
    readonly start: number | null;
    readonly end: number;
  } | null;
  /** Whether that trial decides the settings. */
  readonly settingsLocked: boolean;
  readonly nextReportTime: number | null;
  readonly sources: number;
  readonly pendingReports: number;
  readonly finishedReports: number;
  /** What was recorded on the site that was asked about. */
  readonly here: { readonly sources: number; readonly triggers: number; readonly refused: number };
}
