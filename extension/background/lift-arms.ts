import {
  bufferedRandomSource,
  lotsOf,
  newSecret,
  seededRandomStreams,
  seededSecret,
} from '../../analysis/random/sources';
import { armOf, inLiftTest, type Arm, type Campaign, type Lots } from '../../recording/lift-test';
import type { Registration } from '../../src/model/incoming-registration';
import { effectiveDebug } from '../../formats/settings/settings';
import type { IdbStore } from '../store/idb-store';
import type { Clock } from './state/clock';
import type { SettingsHolder } from './state/settings';

/** Draws the arms of lift tests from the device's secret, or from that of the seed while there is one. */
export class LiftArms {
  /** Undefined until a test needs it. */
  private secret: Promise<string> | undefined;

  constructor(
    private readonly store: IdbStore,
    private readonly settings: SettingsHolder,
    private readonly clock: Clock,
  ) {}

  /** A source of a campaign with its arm; every other registration as it is. */
  async inTest(registration: Registration): Promise<Registration> {
    const { current } = this.settings;
    return current.liftTest === null ? registration : inLiftTest(registration, current, await this.lots());
  }

  /** The arm of a campaign now; null: there is no test, or nothing may be recorded. */
  async of(campaign: Campaign): Promise<Arm | null> {
    const { current, mayRecord } = this.settings;
    const { liftTest, budget } = current;
    return liftTest === null || !mayRecord
      ? null
      : armOf(liftTest, budget, campaign, this.clock.now(), await this.lots());
  }

  private async lots(): Promise<Lots> {
    const { seed } = effectiveDebug(this.settings.current);
    return lotsOf(seed === null ? await this.kept() : seededSecret(seededRandomStreams(seed)));
  }

  /** Erasing keeps it, or a person would change between the arms. It says nothing of what they did. */
  private kept(): Promise<string> {
    return (this.secret ??= this.load().catch((error: unknown) => {
      this.secret = undefined;
      throw error;
    }));
  }

  private async load(): Promise<string> {
    const saved = await this.store.getMeta('liftSecret');
    if (typeof saved === 'string') return saved;
    const secret = newSecret(bufferedRandomSource((words) => void crypto.getRandomValues(words)));
    await this.store.setMeta('liftSecret', secret);
    return secret;
  }
}
