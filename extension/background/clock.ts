import { moment, type Moment } from '../../src/model/units';
import type { IdbStore } from './idb-store';

/** The engine's clock: the device's, turned forward in debug mode. How far is kept, so that it survives a restart. */
export class Clock {
  private constructor(
    private readonly store: IdbStore,
    private offset: number,
  ) {}

  static async load(store: IdbStore): Promise<Clock> {
    const saved = await store.getMeta('clock');
    return new Clock(store, typeof saved === 'number' ? saved : 0);
  }

  /** Milliseconds by which it is ahead of the device. */
  get ahead(): number {
    return this.offset;
  }

  now(): Moment {
    return this.at(Date.now());
  }

  /** What it showed when the device showed `deviceTime`. */
  at(deviceTime: number): Moment {
    return moment(Math.floor(deviceTime) + this.offset);
  }

  async advance(milliseconds: number): Promise<void> {
    await this.set(this.offset + Math.max(0, Math.floor(milliseconds)));
  }

  async reset(): Promise<void> {
    await this.set(0);
  }

  private async set(offset: number): Promise<void> {
    await this.store.setMeta('clock', offset);
    this.offset = offset;
  }
}
