import type { Json } from '../../src/model/json';
import type { Trial } from '../../formats/settings/trial';
import {
  covers,
  standingOf,
  trialIdOf,
  type Agreement,
  type Answer,
  type Standing,
} from '../consent/standing';
import { parseTrial } from '../../formats/settings/parse-trial';
import { forReader } from '../i18n';
import { words } from '../words';
import type { Clock } from './clock';
import type { IdbStore } from '../store/idb-store';

/** The question, derived from the stored documents. */
interface Asked {
  readonly trial: Trial | null;
  readonly problem: string | null;
  /** The answer to exactly this trial. */
  readonly answer: Answer | null;
}

/**
 * The question that the person was asked and their answer, which decides whether anything is recorded and sent. Stored, so it survives a
 * restart. An unreadable answer counts as none.
 */
export class Participation {
  private readonly listeners: (() => void)[] = [];
  private asked: Asked;

  private constructor(
    private readonly store: IdbStore,
    private readonly clock: Clock,
    private readonly readManaged: () => Promise<Json | null>,
    private managed: Json | null,
    /** The trial from a file or link. */
    private offered: Json | null,
    private current: Agreement | null,
    private policyIsRemembered: boolean,
  ) {
    this.asked = asked(this.document, current);
  }

  static async load(
    store: IdbStore,
    clock: Clock,
    readManaged: () => Promise<Json | null>,
  ): Promise<Participation> {
    const [managed, remembered, offered, agreement] = (await Promise.all([
      readManaged(),
      store.getMeta('policy'),
      store.getMeta('trial'),
      store.getMeta('agreement'),
    ])) as [Json | null, Json | null, Json | null, Agreement | null];
    if (managed !== null) await store.setMeta('policy', managed);
    const remembers = managed === null && remembered !== null;
    return new Participation(store, clock, readManaged, managed ?? remembered, offered, agreement, remembers);
  }

  /** The trial as written, accepted or not. */
  get document(): Json | null {
    return this.managed ?? this.offered;
  }

  get isManaged(): boolean {
    return this.managed !== null;
  }

  /**
   * Whether the policy of the last run is assumed to hold, because none can be read now: it was removed, or Chrome has not loaded its
   * policies yet, which takes some seconds after start. `readPolicy` ends this and trusts what it reads.
   */
  get isPolicyRemembered(): boolean {
    return this.policyIsRemembered;
  }

  /** The parsed trial. Null when there is none, or when there is a `problem`. */
  get trial(): Trial | null {
    return this.asked.trial;
  }

  /** Why the trial cannot be parsed. */
  get problem(): string | null {
    return this.asked.problem;
  }

  /** The last answer, possibly to another trial. */
  get agreement(): Agreement | null {
    return this.current;
  }

  get standing(): Standing {
    return standingOf(this.asked.answer, this.asked.trial, this.clock.now());
  }

  /** The trial that the person takes part in, whose settings are in force. */
  get agreedTrial(): Trial | null {
    return this.asked.answer === 'accepted' ? this.asked.trial : null;
  }

  get mayRecord(): boolean {
    return this.standing === 'recording';
  }

  get maySend(): boolean {
    return this.asked.answer === 'accepted';
  }

  /** When a trial's start or end next changes what may be recorded, on the engine's clock; null if never. */
  get nextChange(): number | null {
    const { standing, agreedTrial: trial } = this;
    if (trial === null || standing === 'ended') return null;
    return standing === 'not-started' ? trial.start : trial.end;
  }

  /** The id of the trial that was accepted last, even while another question is open; null if none. */
  get joinedTrialId(): string | null {
    return this.current?.answer === 'accepted' ? trialIdOf(this.current) : null;
  }

  /** The same trial if it can be parsed. An earlier end that was announced since is in force. */
  get joinedTrial(): Trial | null {
    const { current, agreedTrial, joinedTrialId } = this;
    if (agreedTrial !== null) return agreedTrial;
    return joinedTrialId === null ? null : parseTrial(current?.trial ?? null).value;
  }

  /** The name to show; empty if there is no trial. */
  get joinedTrialTitle(): string {
    const { joinedTrial, joinedTrialId } = this;
    return joinedTrial === null ? (joinedTrialId ?? '') : forReader(joinedTrial.title).text;
  }

  /** Whether accepting would join another trial than the one the records belong to. Records from before any agreement belong to none. */
  get isAboutAnother(): boolean {
    return this.joinedTrialId !== (this.trial?.id ?? null);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  async readPolicy(): Promise<void> {
    this.managed = await this.readManaged();
    this.policyIsRemembered = false;
    await this.store.setMeta('policy', this.managed);
    this.changed();
  }

  async offer(trial: Json | null): Promise<void> {
    await this.store.setMeta('trial', trial);
    this.offered = trial;
    this.changed();
  }

  async setAgreement(agreement: Agreement | null): Promise<void> {
    await this.store.setMeta('agreement', agreement);
    this.current = agreement;
    this.changed();
  }

  /** Recomputes the question and notifies listeners. Call it when the time or a stored document has changed. */
  changed(): void {
    this.asked = asked(this.document, this.current);
    for (const listener of this.listeners) listener();
  }
}

function asked(document: Json | null, agreement: Agreement | null): Asked {
  const { value, errors } = document === null ? { value: null, errors: [] } : parseTrial(document);
  return {
    trial: value,
    problem: errors.map(words.issueText)[0] ?? null,
    answer: agreement !== null && covers(agreement.trial, document) ? agreement.answer : null,
  };
}
