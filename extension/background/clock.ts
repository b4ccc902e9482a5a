import { moment, type Moment } from '../../src/model/units';
import type { IdbStore } from './idb-store';

/** Milliseconds ahead of the device, or the moment at which it stands still. */
type Position = { readonly ahead: number } | { readonly frozen: number };

/** The engine's clock: the device's, turned or stopped in debug mode. Where it is is kept, so that it survives a restart. */
export class Clock {
  private constructor(
    private readonly store: IdbStore,
    private position: Position,
  ) {}

  static async load(store: IdbStore): Promise<Clock> {
    const saved = await store.getMeta('clock');
    return new Clock(store, isFrozen(saved) ? saved : { ahead: typeof saved === 'number' ? saved : 0 });
  }

  /** Milliseconds by which it is ahead of the device. */
  get ahead(): number {
    return 'ahead' in this.position ? this.position.ahead : this.position.frozen - Date.now();
  }

  get frozen(): boolean {
    return 'frozen' in this.position;
  }

  now(): Moment {
    return this.at(Date.now());
  }

  /** What it showed when the device showed `deviceTime`; while it stands still, what it shows. */
  at(deviceTime: number): Moment {
    const { position } = this;
    return moment('frozen' in position ? position.frozen : Math.floor(deviceTime) + position.ahead);
  }

  /** Turns it forward; one that stands still then stands there. */
  async advance(milliseconds: number): Promise<void> {
    const step = Math.max(0, Math.floor(milliseconds));
    const { position } = this;
    await this.set(
      'frozen' in position ? { frozen: position.frozen + step } : { ahead: position.ahead + step },
    );
  }

  /** Sets it to an exact moment, from which it goes on, or at which it stands still. */
  async setTo(time: Moment, frozen: boolean): Promise<void> {
    await this.set(frozen ? { frozen: time } : { ahead: time - Date.now() });
  }

  async reset(): Promise<void> {
    await this.set({ ahead: 0 });
  }

  private async set(position: Position): Promise<void> {
    await this.store.setMeta('clock', 'frozen' in position ? position : position.ahead);
    this.position = position;
  }
}

const isFrozen = (saved: unknown): saved is { readonly frozen: number } =>
  typeof saved === 'object' && saved !== null && 'frozen' in saved && typeof saved.frozen === 'number';
