import { type Json } from '../../../src/model/json';
import type { Trial } from '../../../formats/settings/trial';
import {
  consentStatusOf,
  trialIdOf,
  type Agreement,
  type Answer,
  type ConsentStatus,
} from '../../consent/agreement';
import { relationOf, type Relation } from '../../consent/trial-relation';
import { readTrial, type ReadTrial } from '../../../formats/settings/trial-signature';
import { forReader, t } from '../../i18n';
import { words } from '../../words';
import { jointLoss, type JointLoss } from '../../../analysis/audit/joint-bound';
import type { BudgetSettings } from '../../../src/model/mechanisms';
import { historyOf, spanOf } from '../../consent/budget-history';
import type { Clock } from './clock';
import { testEnded } from './test-ended';
import type { IdbStore } from '../../store/idb-store';
import { canonical } from '../../../formats/codec/plain-json';

/** A trial as written, and what was read of it. */
interface Reading {
  readonly document: Json;
  /** Null if it cannot be read, for example because its signature does not fit. */
  readonly read: ReadTrial | null;
  /** Why. */
  readonly problem: string | null;
}

/** What holds now, derived from the stored documents. */
interface Held {
  /** What the person agreed to and takes part in, or else is asked; null: Cointoss without a trial. */
  readonly about: Reading | null;
  /** The answer to exactly that. */
  readonly answer: Answer | null;
  /** Why the trial cannot be agreed to, or a change of it does not count. */
  readonly problem: string | null;
}

/**
 * What the person agreed to, what they are asked, and their answer, which decides whether anything is recorded and sent. Stored, so it
 * survives a restart. An unreadable answer counts as none.
 *
 * What they agreed to holds until they agree to something else, withdraw, or the policy that set it changes. An offered trial is only shown.
 */
export class Participation {
  private readonly listeners: (() => void)[] = [];
  private held: Held;

  private constructor(
    private readonly store: IdbStore,
    private readonly clock: Clock,
    private readonly readManaged: () => Promise<Json | null>,
    private managed: Reading | null,
    /** The trial from a file or link that was looked at last. */
    private offered: Reading | null,
    private current: Agreement | null,
    /** What was agreed to. */
    private agreed: Reading | null,
    private policyIsRemembered: boolean,
  ) {
    this.held = this.hold();
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
    const [policy, offer, agreed] = await Promise.all([
      readingOf(managed ?? remembered),
      readingOf(offered),
      readingOf(agreement?.trial ?? null),
    ]);
    const loaded = new Participation(store, clock, readManaged, policy, offer, agreement, agreed, remembers);
    await loaded.followPolicy();
    return loaded;
  }

  /** The trial as written that the person takes part in or else is asked about. */
  get document(): Json | null {
    return this.held.about?.document ?? null;
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

  /** The parsed trial. Null when there is none, or it cannot be read. */
  get trial(): Trial | null {
    return this.read?.trial ?? null;
  }

  /** The same, with who signed it. */
  get read(): ReadTrial | null {
    return this.held.about?.read ?? null;
  }

  get problem(): string | null {
    return this.held.problem;
  }

  /** A trial that the person looks at while what they agreed to goes on; null if there is none. */
  get offer(): { readonly read: ReadTrial; readonly relation: Relation } | null {
    const read = this.offered?.read ?? null;
    if (read === null || this.isManaged || !this.isInForce || this.sameAs(this.offered, this.document))
      return null;
    const relation = this.relationTo(read);
    return relation === 'replay' ? null : { read, relation };
  }

  /** What a trial would be to the one that was agreed to last. */
  relationTo(offered: ReadTrial): Relation {
    const read = this.current?.answer === 'accepted' ? this.agreed?.read : null;
    if (read == null) return 'another';
    return relationOf(read, offered, this.current?.managed === true && this.isManaged);
  }

  /** The last answer, possibly to another trial. */
  get agreement(): Agreement | null {
    return this.current;
  }

  /** What was agreed to last, with who signed it; null without a trial. */
  get agreedRead(): ReadTrial | null {
    return this.current?.answer === 'accepted' ? (this.agreed?.read ?? null) : null;
  }

  get consentStatus(): ConsentStatus {
    return consentStatusOf(this.held.answer, this.trial, this.clock.now());
  }

  /** The trial that the person takes part in, whose settings are in force. */
  get agreedTrial(): Trial | null {
    return this.isInForce ? this.trial : null;
  }

  /** What all reports of the participation tell everyone. @param budget in force @param soFar ε of all that has been recorded */
  lossOf(budget: BudgetSettings, soFar: number): JointLoss {
    const { agreedTrial, current } = this;
    if (agreedTrial === null || current === null) return jointLoss(budget, null, { before: 0, soFar });
    const history = historyOf(current);
    return jointLoss(budget, spanOf(agreedTrial, history), { before: history.before, soFar });
  }

  get mayRecord(): boolean {
    return this.consentStatus === 'recording';
  }

  get maySend(): boolean {
    return this.isInForce;
  }

  private get isInForce(): boolean {
    return this.held.answer === 'accepted';
  }

  /** When a trial's start or end next changes what may be recorded, on the engine's clock; null if never. */
  get nextChange(): number | null {
    const { consentStatus, agreedTrial: trial } = this;
    if (trial === null || consentStatus === 'ended') return null;
    return consentStatus === 'not-started' ? trial.start : trial.end;
  }

  /** The id of the trial that was accepted last, even while another question is open; null if none. */
  get joinedTrialId(): string | null {
    return this.current?.answer === 'accepted' ? trialIdOf(this.current) : null;
  }

  /** The name to show of the trial that was accepted last; empty if there is none. */
  get joinedTrialTitle(): string {
    const { agreedRead, joinedTrialId } = this;
    return agreedRead === null ? (joinedTrialId ?? '') : forReader(agreedRead.trial.title).text;
  }

  /** Whether accepting this would join another trial than the one the records belong to. Records from before any agreement belong to none. */
  isAbout(trial: ReadTrial | null): boolean {
    return trial === null ? this.joinedTrialId === null : this.relationTo(trial) !== 'another';
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  async readPolicy(): Promise<void> {
    const managed = await this.readManaged();
    this.managed = await readingOf(managed);
    this.policyIsRemembered = false;
    await this.store.setMeta('policy', managed);
    await this.followPolicy();
    this.changed();
  }

  async offerTrial(trial: Json | null): Promise<void> {
    await this.store.setMeta('trial', trial);
    this.offered = await readingOf(trial);
    this.changed();
  }

  async setAgreement(agreement: Agreement | null): Promise<void> {
    const agreed = await readingOf(agreement?.trial ?? null);
    // Perhaps nothing registers in this trial before one with another test, and until it is held, the test before it still draws arms.
    const endsTest =
      agreement?.answer === 'accepted' && (hasNoTest(this.agreedRead) || hasNoTest(agreed?.read));
    await this.store.setMeta('agreement', agreement, endsTest ? testEnded() : {});
    this.agreed = agreed;
    this.current = agreement;
    this.changed();
  }

  /** Recomputes what holds and notifies listeners. Call it when the time or a stored document has changed. */
  changed(): void {
    this.held = this.hold();
    for (const listener of this.listeners) listener();
  }

  /** A policy whose trial only ends earlier takes effect without asking, and for good. */
  private async followPolicy(): Promise<void> {
    const read = this.managed?.read ?? null;
    if (read === null || this.current === null || this.relationTo(read) !== 'shortened') return;
    await this.setAgreement({ ...this.current, trial: read.document });
  }

  private hold(): Held {
    const { managed, agreed, current } = this;
    const isAccepted = current?.answer === 'accepted';
    if (managed === null && isAccepted && current.managed !== true)
      return {
        about: agreed,
        answer: agreed?.problem == null ? 'accepted' : null,
        problem: agreed?.problem ?? null,
      };
    const relation = managed?.read == null ? null : this.relationTo(managed.read);
    if (isAccepted && (relation === 'same' || relation === 'replay'))
      return {
        about: agreed,
        answer: 'accepted',
        problem: relation === 'replay' ? this.replayed(managed) : null,
      };
    const asked = managed ?? this.offered;
    const isAnswered = current !== null && !isAccepted && this.sameAs(asked, current.trial);
    return { about: asked, answer: isAnswered ? current.answer : null, problem: asked?.problem ?? null };
  }

  private replayed(managed: Reading | null): string {
    const { version = 0 } = managed?.read?.trial ?? {};
    return t('joining_replay', { version, agreed: this.agreed?.read?.trial.version ?? 0 });
  }

  private sameAs(reading: Reading | null, document: Json | null): boolean {
    return canonical(reading?.document ?? null) === canonical(document);
  }
}

const hasNoTest = (read: ReadTrial | null | undefined): boolean => read?.trial.settings.liftTest === null;

async function readingOf(document: Json | null): Promise<Reading | null> {
  if (document === null) return null;
  const { value: read, errors } = await readTrial(document);
  return { document, read, problem: errors.map(words.issueText)[0] ?? null };
}
