import { moment, type Moment } from '../../../src/model/units';
import { t } from '../../i18n';
import type { IdbStore } from '../../store/idb-store';

/** Milliseconds ahead of the device, or the time at which the clock stands still; and the command that turned it there. */
type Position = ({ readonly ahead: number } | { readonly frozen: number }) & { readonly command?: string };

/** No trial takes longer. Much larger times have no date, so nothing could run. */
const MOST_AHEAD = 100 * 365.25 * 86_400_000;

/** The engine's clock: the device's time, which debug mode can turn or stop. Its position is stored, so it survives a restart. */
export class Clock {
  private constructor(
    private readonly store: IdbStore,
    private position: Position,
  ) {}

  static async load(store: IdbStore): Promise<Clock> {
    const saved = await store.getMeta('clock');
    const position = isPosition(saved) ? saved : { ahead: typeof saved === 'number' ? saved : 0 };
    return new Clock(store, isWithinReach(position) ? position : { ahead: 0 });
  }

  /** In milliseconds. */
  get ahead(): number {
    return 'ahead' in this.position ? this.position.ahead : this.position.frozen - Date.now();
  }

  /** The last command that turned the clock. It is stored with the clock, so that it is known whatever ended the background. */
  get command(): string | undefined {
    return this.position.command;
  }

  get frozen(): boolean {
    return 'frozen' in this.position;
  }

  now(): Moment {
    return this.at(Date.now());
  }

  /** What the clock showed at the device's time `deviceTime`. A stopped clock always shows the same time. */
  at(deviceTime: number): Moment {
    const { position } = this;
    return moment('frozen' in position ? position.frozen : Math.floor(deviceTime) + position.ahead);
  }

  /**
   * Turns the clock forward. A stopped clock stays stopped at the new time.
   * @param command the id of who asks for it, if they may ask again
   * @throws RangeError when the result is more than 100 years from the device's time
   */
  async advance(milliseconds: number, command?: string): Promise<void> {
    const step = Math.max(0, Math.floor(milliseconds));
    const { position } = this;
    const turned =
      'frozen' in position ? { frozen: position.frozen + step } : { ahead: position.ahead + step };
    await this.set(command === undefined ? turned : { ...turned, command });
  }

  /**
   * Sets the clock to an exact time, from which it runs or at which it stands still.
   * @throws RangeError when that is more than 100 years from the device's time
   */
  async setTo(time: Moment, frozen: boolean): Promise<void> {
    await this.set(frozen ? { frozen: time } : { ahead: time - Date.now() });
  }

  async reset(): Promise<void> {
    await this.set({ ahead: 0 });
  }

  private async set(position: Position): Promise<void> {
    if (!isWithinReach(position)) throw new RangeError(t('mistakes_clock_out_of_reach'));
    const isPlain = 'ahead' in position && position.command === undefined;
    await this.store.setMeta('clock', isPlain ? position.ahead : position);
    this.position = position;
  }
}

const isWithinReach = (position: Position): boolean =>
  Math.abs('frozen' in position ? position.frozen - Date.now() : position.ahead) <= MOST_AHEAD;

const isPosition = (saved: unknown): saved is Position =>
  typeof saved === 'object' &&
  saved !== null &&
  (('frozen' in saved && typeof saved.frozen === 'number') ||
    ('ahead' in saved && typeof saved.ahead === 'number'));
