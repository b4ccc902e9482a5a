import type { JointLoss } from '../analysis/audit/joint-bound';
import type { BudgetHistory } from './consent/budget-history';
import type { ErasingScope } from './erasing/erase-part';
import type { DebugCondition } from '../src/model/facts';
import type { LogEntry } from '../src/model/decision';
import type { ApiState, Budget, Impression } from '../w3c/documents';
import type { ApiLimits } from '../w3c/limits';
import type { CallEntry, CallError } from '../w3c/log';
import type { Json, JsonObject } from '../src/model/json';
import type { IgnoredReason } from '../formats/codec/mistakes';
import type { FinishedReport, Report, Source } from '../src/model/records';
import type { DebugSettings, Settings } from '../formats/settings/settings';
import type { ConsentStatus } from './consent/agreement';
import type { Relation } from './consent/trial-relation';
import type { Moment, Origin } from '../src/model/units';
import type { AsJson } from '../formats/codec/plain-json';

export type AttributionMethod = 'saveImpression' | 'measureConversion';

/** Some settings, and some of the debug settings. Settings that are not named keep their values. */
export type SettingsChange = Omit<Partial<Settings>, 'debug'> & { readonly debug?: Partial<DebugSettings> };

/** The most rows in one answer to `list`. */
export const MOST_LISTED = 1000;

export type PageMessage =
  | { readonly kind: 'overview'; readonly site: string | null }
  /** The newest rows first, at most `limit` and `MOST_LISTED`; with `before`, only those with smaller ids. */
  | {
      readonly kind: 'list';
      readonly table: keyof TableRows;
      readonly limit: number;
      readonly before?: number;
    }
  /** The responses that wait for the declaration of their request, at most `MOST_LISTED`. Answer: `UndeclaredResponse[]`. */
  | { readonly kind: 'undeclared' }
  | { readonly kind: 'get-settings' }
  | { readonly kind: 'set-settings'; readonly settings: SettingsChange }
  /** Turns the clock. Sent again with the same `command`, it does not turn it again. */
  | {
      readonly kind: 'advance-clock';
      readonly by: number | 'next-report' | 'next-window';
      readonly command?: string;
    }
  /** Sets the clock, in milliseconds since 1970. While `frozen` it stands still. */
  | { readonly kind: 'set-clock'; readonly to: number; readonly frozen: boolean }
  | { readonly kind: 'reset-clock' }
  | { readonly kind: 'send-due' }
  /** Sends every report now, whatever its window. */
  | { readonly kind: 'send-pending' }
  | { readonly kind: 'send-report'; readonly id: number }
  /** Forces a state, a decimal string, as the output of the next source that has it; null cancels. */
  | { readonly kind: 'force-state'; readonly state: string | null }
  /** Forces the null reports of the next trigger: how many days before it their sources are said to be; null cancels. */
  | { readonly kind: 'force-null-reports'; readonly days: readonly number[] | null }
  /** Registers this header as if that origin had answered on that page. Answer: the log entry. */
  | {
      readonly kind: 'register';
      readonly register: 'navigation' | 'event' | 'trigger';
      readonly header: string;
      readonly contextOrigin: string;
      readonly reportingOrigin: string;
    }
  /** Sets limits in the form of a scenario's `api_config`; null restores the defaults. */
  | { readonly kind: 'set-limits'; readonly limits: Json }
  /** Exports what happened as a scenario file that replays, with debug reports only if asked. Answer: its JSON. */
  | { readonly kind: 'export-scenario'; readonly debug: boolean }
  /** Erases everything that was recorded, or the part `scope`. Answer: `Cleared`. */
  | { readonly kind: 'clear'; readonly scope?: ErasingScope }
  /** Restores what the last `clear` erased, for some seconds after it. */
  | { readonly kind: 'undo-clear' }
  /** All of W3C Attribution's. */
  | { readonly kind: 'w3c' }
  /** Sets limits of W3C Attribution; null restores the defaults. */
  | { readonly kind: 'set-w3c-limits'; readonly limits: Json }
  /** Calls `navigator.attribution` as if a page of that host had, or a frame of the other one on it. */
  | {
      readonly kind: 'call-w3c';
      readonly call: AttributionMethod;
      readonly options: JsonObject;
      readonly site: string;
      readonly intermediarySite: string | null;
    }
  /** Sets when the epochs of W3C Attribution begin, and when history was last cleared, for a replay. */
  | { readonly kind: 'set-w3c-state'; readonly epochStart: Moment | null; readonly lastClear: Moment | null }
  /** What each impression gets of the next conversion, instead of a draw; null: a draw. */
  | { readonly kind: 'force-w3c-credit'; readonly credit: readonly number[] | null }
  /** Clears the impressions of a site, as its `Clear-Site-Data` would. */
  | { readonly kind: 'clear-impressions'; readonly site: string }
  /** Tells that the browser forgot what these sites stored, but not the visits. */
  | { readonly kind: 'forget-site-data'; readonly sites: readonly string[] }
  | ParticipationMessage;

/** The rows of the tables that can be listed. */
export interface TableRows {
  readonly sources: AsJson<Source>;
  readonly reports: AsJson<Report>;
  readonly finished: AsJson<FinishedReport>;
  readonly log: AsJson<LogEntry>;
}

/** A response whose request no document has declared so far: it is logged as ignored for this reason if none does. */
export interface UndeclaredResponse {
  /** Of its row in the inbox. */
  readonly id: number;
  readonly contextOrigin: Origin;
  readonly reportingOrigin: Origin;
  readonly reason: IgnoredReason;
}

/** The answer to each kind of message but `list`. */
interface Replies extends Record<ParticipationMessage['kind'], ParticipationView> {
  readonly overview: Overview;
  readonly undeclared: readonly UndeclaredResponse[];
  readonly 'get-settings': Settings;
  readonly 'set-settings': Settings;
  readonly 'advance-clock': Overview;
  readonly 'set-clock': Overview;
  readonly 'reset-clock': Overview;
  readonly 'send-due': Overview;
  readonly 'send-pending': Overview;
  readonly 'send-report': Overview;
  readonly 'force-state': Overview;
  readonly 'force-null-reports': Overview;
  readonly register: TableRows['log'];
  readonly 'set-limits': Overview;
  readonly 'export-scenario': Json;
  readonly clear: Cleared;
  readonly 'undo-clear': Overview;
  readonly w3c: W3cView;
  readonly 'set-w3c-limits': W3cView;
  readonly 'call-w3c': W3cAnswer;
  readonly 'set-w3c-state': W3cView;
  readonly 'force-w3c-credit': W3cView;
  readonly 'clear-impressions': W3cView;
  readonly 'forget-site-data': W3cView;
}

/** What the background answers. */
export type Reply<Message extends PageMessage> = Message extends {
  readonly kind: 'list';
  readonly table: infer Table extends keyof TableRows;
}
  ? readonly TableRows[Table][]
  : Replies[Exclude<Message['kind'], 'list'>];

/** What the pages may ask about consent and trials; all is answered with a `ParticipationView`. */
export type ParticipationMessage =
  | { readonly kind: 'get-participation' }
  /** Shows the person a trial from a file. */
  | { readonly kind: 'offer-trial'; readonly trial: Json }
  /** Gets the trial at this address, and shows it to the person. */
  | { readonly kind: 'look-at-trial'; readonly link: string }
  /** The person accepts what they were shown: this trial, with their invitation code if it has tokens, or Cointoss without one. */
  | { readonly kind: 'accept'; readonly trial: Json | null; readonly invitation?: string }
  | { readonly kind: 'decline'; readonly trial: Json | null }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'forget-trial' };

/** A trial as written, and the fingerprint of the key that signed it; null: not signed, or it cannot be read. */
export interface TrialView {
  readonly trial: Json;
  readonly signer: string | null;
}

export interface ParticipationView {
  readonly consentStatus: ConsentStatus;
  /** What the person takes part in, or else is asked about, as written; null: Cointoss without a trial. */
  readonly trial: Json | null;
  /** The fingerprint of the key that signed it; null: not signed. */
  readonly signer: string | null;
  /** A trial that the person looks at while what they agreed to goes on. The next answer is to this one. */
  readonly offer: (TrialView & { readonly relation: Relation }) | null;
  /** The trial that was agreed to last, where `trial` is another. */
  readonly agreed: TrialView | null;
  /** Why the trial cannot be read, and so not be accepted; or why a policy's change does not count. */
  readonly problem: string | null;
  readonly managed: boolean;
  /** On the device's clock. */
  readonly acceptedAt: number | null;
  /** Whether the person accepted something else before: another trial, none, or an earlier version of this one. */
  readonly hadAgreed: boolean;
  /** Whether accepting erases earlier records, because they belong to another trial or to none. */
  readonly acceptingErases: boolean;
  /** Whether accepting takes an invitation code. */
  readonly needsInvitation: boolean;
  /** Of what was accepted last; null if nothing was. */
  readonly budgets: BudgetHistory | null;
}

/** What a page gets of a call of `navigator.attribution`: the error that rejects it; or the report in Base64, null of an impression. */
export type W3cAnswer =
  | { readonly error: CallError; readonly message: string }
  | { readonly report: string | null };

/** The documents of W3C Attribution, each list with the oldest first. */
export interface W3cView {
  readonly state: AsJson<ApiState>;
  readonly limits: ApiLimits;
  readonly impressions: readonly AsJson<SavedImpression>[];
  readonly budgets: readonly Budget[];
  readonly calls: readonly AsJson<CallEntry>[];
}

/** An impression with its sets as lists; empty ones allow all. */
interface SavedImpression extends Omit<Impression, 'conversionSites' | 'conversionCallers'> {
  readonly conversionSites: readonly string[];
  readonly conversionCallers: readonly string[];
}

/** The overview after `clear`, and how many rows it erased. */
export interface Cleared extends Overview {
  readonly erased: number;
}

/** The channel on which the background tells the pages which rows changed. */
export const CHANGES_CHANNEL = 'cointoss-changes';

/** By table, the ids of rows that were put or deleted; `all` if there were too many. */
export type ChangesMessage = Readonly<Record<string, readonly number[] | 'all'>>;

/** What differs from production now, for registrations and for the next source. */
export type Difference =
  | DebugCondition
  | { readonly id: 'next-state-forced'; readonly state: string }
  /** Milliseconds by which the latest record is ahead of the clock, which was turned back since. */
  | { readonly id: 'records-ahead'; readonly by: number };

/** The answer to `overview` and to all that changes the clock or sends. Times are milliseconds of Cointoss's clock. */
export interface Overview {
  readonly now: number;
  readonly clockAhead: number;
  readonly differences: readonly Difference[];
  readonly debugEnabled: boolean;
  readonly debug: DebugSettings;
  /** The state forced on the next source, or null. */
  readonly forcedState: string | null;
  readonly paused: boolean;
  readonly pausedHere: boolean;
  readonly consentStatus: ConsentStatus;
  readonly trial: {
    readonly title: string;
    /** A BCP 47 tag; null if the trial does not say. */
    readonly titleLanguage: string | null;
    readonly start: number | null;
    readonly end: number;
  } | null;
  /** The settings that the person may change while a trial decides the others; null without a trial. */
  readonly freeSettings: readonly string[] | null;
  readonly nextReportTime: number | null;
  /** What all reports together reveal to everyone; null where that is not known, as in a file. */
  readonly jointLoss: JointLoss | null;
  readonly sources: number;
  readonly pendingReports: number;
  readonly finishedReports: number;
  readonly here: { readonly sources: number; readonly triggers: number; readonly refused: number };
}
