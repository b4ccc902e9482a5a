import {
  bufferedRandomSource,
  lotsOf,
  newSecret,
  seededRandomStreams,
  seededSecret,
} from '../../analysis/random/sources';
import { armOf, inLiftTest, withoutArm, type Arm, type Campaign, type Lots } from '../../recording/lift-test';
import type { Registration } from '../../src/model/incoming-registration';
import type { Source } from '../../src/model/records';
import { effectiveDebug } from '../../formats/settings/settings';
import type { IdbStore } from '../store/idb-store';
import type { Clock } from './state/clock';
import type { Participation } from './state/participation';
import type { SettingsHolder } from './state/settings';

/** Draws the arms of lift tests from the device's secret, or from that of the seed while there is one. */
export class LiftArms {
  /** Undefined until a test needs it. */
  private secret: Promise<string> | undefined;
  /** Resolves when no source has an arm. Undefined while there is a test. */
  private ended: Promise<void> | undefined;
  /** Resolves when the last end is over. If it failed, what draws next ends the earlier test first. */
  private ending: Promise<void> = Promise.resolve();
  /**
   * Resolves when a test that the settings ended is over: the background that was to end it may have been killed, or the disk was full. Undefined:
   * not looked at since the settings or the participation changed.
   */
  private earlier: Promise<void> | undefined;
  /** Resolves when the last of what draws arms has the secret. */
  private reading: Promise<unknown> = Promise.resolve();
  /** What draws arms in a test and is not finished, such as a registration that is not stored yet. */
  private readonly underWay = new Set<Promise<unknown>>();
  /** How often the secret was forgotten. */
  private forgotten = 0;
  /** Resolves when the store has forgotten it, or could not. */
  private forgetting: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: IdbStore,
    private readonly settings: SettingsHolder,
    participation: Pick<Participation, 'onChange'>,
    private readonly clock: Clock,
  ) {
    const lookAgain = (): void => void (this.earlier = undefined);
    settings.onChange(lookAgain);
    // A trial may have ended a test, too.
    participation.onChange(lookAgain);
  }

  /**
   * Registers a source of a campaign with its arm; every other registration as it is. Without a test, it first takes the arms from what an earlier
   * one left: mechanisms may be in force now that would tell of them.
   */
  async inTest<T>(
    registration: Registration,
    register: (registration: Registration) => Promise<T>,
  ): Promise<T> {
    const { current } = this.settings;
    if (current.liftTest !== null)
      return this.drawing((lots) => register(inLiftTest(registration, current, lots)));
    if (this.ended === undefined) {
      const ended = (this.ended = this.end());
      this.ending = ended;
      ended.catch(() => {
        if (this.ended === ended) this.ended = undefined;
      });
    }
    await this.ended;
    return register(registration);
  }

  /**
   * Draws once an earlier test has ended: its end forgets the secret that is there, and takes the arms from all sources. The next end waits for
   * what draws here, because there is a secret now that it has to forget.
   */
  private async drawing<T>(work: (lots: Lots) => T | Promise<T>): Promise<T> {
    this.ended = undefined;
    this.ending = this.ending.catch(() => this.takeArms());
    this.earlier ??= this.endEarlier(this.ending, [...this.underWay]);
    const lots = Promise.all([this.ending, this.earlier]).then(() => this.lots());
    this.reading = lots.catch(() => undefined);
    const drawn = lots.then(work);
    this.underWay.add(drawn);
    try {
      return await drawn;
    } finally {
      this.underWay.delete(drawn);
    }
  }

  /** What takes the arms from sources that come back, if they were forgotten meanwhile. */
  whileErased(): (source: Source) => Source {
    const before = this.forgotten;
    return (source) => (this.forgotten === before ? source : (withoutArm(source) ?? source));
  }

  /** The arm of a campaign now; null: there is no test, or nothing may be recorded. */
  async of(campaign: Campaign): Promise<Arm | null> {
    const { current, mayRecord } = this.settings;
    const { liftTest, budget } = current;
    if (liftTest === null || !mayRecord) return null;
    return this.drawing((lots) => armOf(liftTest, budget, campaign, this.clock.now(), lots));
  }

  /** Lets the next test draw anew. */
  async forget(): Promise<void> {
    await this.reading;
    await this.forgetBy(() => this.store.setMeta('liftSecret', null));
  }

  /** @param write what makes the store forget the secret */
  private async forgetBy(write: () => Promise<void>): Promise<void> {
    // What is being read or made would be kept.
    await this.secret?.catch(() => undefined);
    // Before it is written: what comes back meanwhile must not have its arm.
    this.secret = undefined;
    this.forgotten++;
    const written = write();
    this.forgetting = written.catch(() => undefined);
    await written;
  }

  private async end(): Promise<void> {
    // One that began before the end would store its arm after it, or make the secret.
    await Promise.allSettled(this.underWay);
    await this.takeArms();
  }

  private async endEarlier(ending: Promise<void>, underWay: readonly Promise<unknown>[]): Promise<void> {
    try {
      await ending;
      const end = await this.store.getMeta('liftTestEnded');
      if (end === null) return;
      await Promise.allSettled(underWay);
      // What was under way may have carried it out, and made the secret of the next test.
      if ((await this.store.getMeta('liftTestEnded')) === null) return;
      await this.takeArms();
      // Another test may have ended meanwhile.
      await this.store.clearMeta('liftTestEnded', end);
    } catch (error) {
      this.earlier = undefined;
      throw error;
    }
  }

  /** Of all sources, and with them the secret. */
  private async takeArms(): Promise<void> {
    if ((await this.store.getMeta('liftSecret')) === null) return;
    await this.forgetBy(() =>
      this.store.write(async (tx) => {
        const sources = tx.table('sources');
        for (const source of await sources.latest(Infinity)) {
          const without = withoutArm(source);
          if (without !== null) sources.put(without);
        }
        this.store.setMetaIn(tx, 'liftSecret', null);
      }),
    );
  }

  private async lots(): Promise<Lots> {
    const { seed } = effectiveDebug(this.settings.current);
    // Also with a seed: that there is one says that sources may have arms.
    const kept = await this.kept();
    return lotsOf(seed === null ? kept : seededSecret(seededRandomStreams(seed)));
  }

  /** Erasing keeps it, or a person would change between the arms. It says nothing of what they did. */
  private kept(): Promise<string> {
    return (this.secret ??= this.load().catch((error: unknown) => {
      this.secret = undefined;
      throw error;
    }));
  }

  private async load(): Promise<string> {
    await this.forgetting;
    const saved = await this.store.getMeta('liftSecret');
    if (typeof saved === 'string') return saved;
    const secret = newSecret(bufferedRandomSource((words) => void crypto.getRandomValues(words)));
    await this.store.setMeta('liftSecret', secret);
    return secret;
  }
}
