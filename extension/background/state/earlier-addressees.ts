import { type Json } from '../../../src/model/json';
import type { Addressee, EarlierAddressee } from '../../../src/model/records';
import { days, type Moment } from '../../../src/model/units';
import type { IdbStore } from '../../store/idb-store';
import { canonical } from '../../../formats/codec/plain-json';

/** A source lives 30 days, and null reports claim whole days. */
const KEPT = days(32);

interface Saved {
  /** For whom the reports of the newest sources are; null before there was one. */
  readonly newest: Addressee | null;
  /** The others, oldest first. */
  readonly earlier: readonly EarlierAddressee[];
}

const nothing: Saved = { newest: null, earlier: [] };

/** Remembers for whom reports were before the collector or its keys changed, as long as reports of sources from then can be made. */
export class EarlierAddressees {
  private constructor(
    private readonly store: IdbStore,
    private saved: Saved,
  ) {}

  static async load(store: IdbStore): Promise<EarlierAddressees> {
    return new EarlierAddressees(store, ((await store.getMeta('addressees')) as Saved | null) ?? nothing);
  }

  /** Those before this one, oldest first. It counts from now on if it is another one. */
  before(current: Addressee, now: Moment): readonly EarlierAddressee[] {
    const { newest, earlier } = this.saved;
    if (newest === null || textOf(newest) !== textOf(current)) {
      const kept = earlier.filter(({ until }) => until > now - KEPT);
      this.saved = {
        newest: current,
        earlier: newest === null ? kept : [...kept, { until: now, addressee: newest }],
      };
      // If the background ends before it is written, the next one finds the difference again.
      void this.store.setMeta('addressees', this.saved).catch(() => undefined);
    }
    return this.saved.earlier;
  }

  /** With all sources, whom their reports were for is gone. @returns what brings that back, with the sources */
  async forget(now: Moment): Promise<() => Promise<void>> {
    const before = this.saved;
    await this.save(nothing);
    return () => this.save(joined(before, now, this.saved));
  }

  private async save(saved: Saved): Promise<void> {
    this.saved = saved;
    await this.store.setMeta('addressees', saved);
  }
}

/** Those before a time and those since. */
function joined(before: Saved, time: Moment, since: Saved): Saved {
  if (before.newest === null || since.newest === null) return before.newest === null ? since : before;
  const next = since.earlier[0]?.addressee ?? since.newest;
  const isOther = textOf(before.newest) !== textOf(next);
  const between = isOther ? [{ until: time, addressee: before.newest }] : [];
  return { newest: since.newest, earlier: [...before.earlier, ...between, ...since.earlier] };
}

const textOf = (addressee: Addressee): string => canonical(addressee as Json);
