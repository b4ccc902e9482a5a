import type { Json } from '../../../src/model/json';
import type { RecordingRule } from '../../../recording/recording-rule';
import { defaultSettings, effectiveDebug, type Settings } from '../../../formats/settings/settings';
import { parseSettings } from '../../../formats/settings/parse-settings';
import type { Conditions } from '../../../src/engine';
import { type DebugCondition } from '../../../src/model/facts';
import type { Site } from '../../../src/model/units';
import { strictly } from '../../../formats/codec/issues';
import { originOfUrl } from '../../../src/model/origin';
import { freeInTrial, lockedIn, settingsInTrial } from '../../consent/agreement';
import { t } from '../../i18n';
import { words } from '../../words';
import type { Clock } from './clock';
import { EarlierAddressees } from './earlier-addressees';
import type { IdbStore } from '../../store/idb-store';
import type { Participation } from './participation';
import { testEnded } from './test-ended';
import { debugConditions } from '../../../formats/settings/debug-conditions';

/** The settings in force. Only the background changes them, so memory and storage agree. */
export class SettingsHolder {
  private readonly listeners: (() => void | Promise<void>)[] = [];
  private updating: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly store: IdbStore,
    private readonly participation: Participation,
    /** Whether debug mode may be used in a trial. */
    private readonly rehearsal: boolean,
    /** The person's own settings, which a trial overrides. */
    private own: Settings,
    private readonly addressees: EarlierAddressees,
  ) {}

  static async load(
    store: IdbStore,
    participation: Participation,
    rehearsal: boolean,
  ): Promise<SettingsHolder> {
    const saved = (await store.getMeta('settings')) as Json;
    return new SettingsHolder(
      store,
      participation,
      rehearsal,
      saved === null ? defaultSettings : (parseSettings(saved).value ?? defaultSettings),
      await EarlierAddressees.load(store),
    );
  }

  get current(): Settings {
    return this.inForceWith(this.own);
  }

  private inForceWith(own: Settings): Settings {
    const { agreedTrial } = this.participation;
    if (agreedTrial !== null) return settingsInTrial(agreedTrial, own, this.rehearsal);
    return this.isDebugLocked ? { ...own, debug: defaultSettings.debug } : own;
  }

  /** Also locked while a change of the trial is undecided: records of the trial may be sent after the answer. */
  private get isDebugLocked(): boolean {
    return !this.rehearsal && this.participation.joinedTrialId !== null;
  }

  get rulesInForce(): readonly RecordingRule[] {
    return this.participation.mayRecord ? this.current.rules : [];
  }

  get mayRecord(): boolean {
    return this.participation.mayRecord;
  }

  get maySend(): boolean {
    return this.participation.maySend;
  }

  /** @param listener its promise is awaited before the change is complete */
  onChange(listener: () => void | Promise<void>): void {
    this.listeners.push(listener);
  }

  /** @throws Error naming the first field that is invalid or set by a trial; then nothing changes */
  update(change: Json): Promise<Settings> {
    // In order: two quick changes must not start from the same settings.
    const updated = this.updating.then(() => this.apply(change));
    this.updating = updated.catch(() => undefined);
    return updated;
  }

  private async apply(change: Json): Promise<Settings> {
    const [locked] = this.lockedIn(change);
    if (locked !== undefined) {
      const title = this.participation.joinedTrialTitle;
      throw new Error(t('joining_setting', { name: locked, title }));
    }
    const { value, errors } = strictly(parseSettings(change, this.own));
    if (value === null) throw new Error(words.issuesText(errors));
    // A lift test that is over stays so, whatever happens before its arms are taken.
    const isInTest = [this.current, this.inForceWith(value)].every(({ liftTest }) => liftTest !== null);
    // While a change of a trial is undecided, its records keep their arms, which these settings say nothing of.
    const haveArms = this.mayRecord || this.participation.joinedTrialId === null;
    await this.store.setMeta('settings', value, haveArms && !isInTest ? testEnded() : {});
    this.own = value;
    for (const listener of this.listeners) await listener();
    return this.current;
  }

  /** What the person may change; null without a trial: everything. */
  get free(): readonly string[] | null {
    return this.participation.agreedTrial === null ? null : freeInTrial(this.rehearsal);
  }

  private lockedIn(change: Json): readonly string[] {
    const locked = lockedIn(change, this.rehearsal);
    if (this.participation.agreedTrial !== null) return locked;
    return this.isDebugLocked ? locked.filter((name) => name === 'debug') : [];
  }

  /** Whether nothing is recorded on a site, because of the settings or for lack of consent. */
  isPaused(site: Site): boolean {
    if (this.isPausedEverywhere) return true;
    const { pausedSites } = this.own;
    // On http nothing registers, but the log would say so.
    return pausedSites.includes(site) || pausedSites.includes(site.replace(/^http:/, 'https:'));
  }

  get isPausedEverywhere(): boolean {
    return !this.mayRecord || this.own.paused;
  }

  /** The conditions under which the engine processes registrations now. */
  conditions(clock: Clock): Conditions {
    const { noise, delay, debugReports } = effectiveDebug(this.current);
    const { collector, aggregatableReports, aggregationKeys } = this.current;
    const recipient = collector === null ? null : originOfUrl(collector);
    const addressee = {
      ...(recipient === null ? {} : { recipient }),
      ...(aggregationKeys.length === 0 ? {} : { aggregationKeys }),
    };
    // Only a collector has a key to encrypt them for.
    const isSealed = aggregatableReports && collector !== null;
    return {
      ...addressee,
      // Without aggregatable reports, there are no null reports either.
      earlierAddressees: isSealed ? this.addressees.before(addressee, clock.now()) : [],
      measurement: { ...this.current, aggregatableReports: isSealed },
      noise: { kind: noise ? 'on' : 'off' },
      delay,
      debugAllowed: debugReports,
      debug: this.differences(clock),
    };
  }

  /** To be called when everything is erased. @returns what brings them back */
  forgetEarlierAddressees(clock: Clock): Promise<() => Promise<void>> {
    return this.addressees.forget(clock.now());
  }

  /** What differs from production, to show on every page and in every trace. */
  differences(clock: Clock): readonly DebugCondition[] {
    return debugConditions(this.current, clock);
  }
}
