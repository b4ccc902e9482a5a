import type { Json } from '../../src/model/json';
import type { Agreement, Answer, Standing, Trial } from '../../src/model/trial';
import { covers, standingOf, trialIdOf } from '../../src/settings/participation';
import { parseTrial } from '../../src/settings/parse-trial';
import { forReader } from '../i18n';
import { words } from '../words';
import type { Clock } from './clock';
import type { IdbStore } from '../store/idb-store';

/** What there is to agree to, worked out once. */
interface Asked {
  readonly trial: Trial | null;
  readonly problem: string | null;
  /** To exactly this. */
  readonly answer: Answer | null;
}

/**
 * What the person was asked and what they answered, which decides whether anything is recorded and sent. Kept, so that it
 * survives a restart; what cannot be read counts as unanswered.
 */
export class Participation {
  private readonly listeners: (() => void)[] = [];
  private asked: Asked;

  private constructor(
    private readonly store: IdbStore,
    private readonly clock: Clock,
    private readonly readManaged: () => Promise<Json | null>,
    private managed: Json | null,
    /** The trial that a file or a link named. */
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

  /** The trial that there is, agreed to or not, as it was written. */
  get document(): Json | null {
    return this.managed ?? this.offered;
  }

  get isManaged(): boolean {
    return this.managed !== null;
  }

  /**
   * Whether policy is taken to be what it was, as nothing can be read of it: it is gone, or Chrome, which knows its policies only
   * some seconds after it has started, does not have it yet. `readPolicy` takes what it then reads for the truth.
   */
  get isPolicyRemembered(): boolean {
    return this.policyIsRemembered;
  }

  /** The same, read; null when there is none, or one with a `problem`. */
  get trial(): Trial | null {
    return this.asked.trial;
  }

  /** Why the trial cannot be read. */
  get problem(): string | null {
    return this.asked.problem;
  }

  /** The last answer, which need not be to the trial that there is. */
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

  /** When what may be recorded changes by itself, on the engine's clock; null if it does not. */
  get nextChange(): number | null {
    const { standing, agreedTrial: trial } = this;
    if (trial === null || standing === 'ended') return null;
    return standing === 'not-started' ? trial.start : trial.end;
  }

  /** The id of the trial that was agreed to last, also while something else waits for an answer; null: none. */
  get joinedTrialId(): string | null {
    return this.current?.answer === 'accepted' ? trialIdOf(this.current) : null;
  }

  /** The same trial as far as it can be read; an end that came forward since is in force. */
  get joinedTrial(): Trial | null {
    const { current, agreedTrial, joinedTrialId } = this;
    if (agreedTrial !== null) return agreedTrial;
    return joinedTrialId === null ? null : parseTrial(current?.trial ?? null).value;
  }

  /** What to call it; empty: there is none. */
  get joinedTrialTitle(): string {
    const { joinedTrial, joinedTrialId } = this;
    return joinedTrial === null ? (joinedTrialId ?? '') : forReader(joinedTrial.title).text;
  }

  /**
   * Whether to accept now would be about another trial than what was recorded is for: what came before any agreement is for
   * none.
   */
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

  /** Tells who depends on it that time, or something else, changed what may be recorded. */
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
