import type { Json } from '../../../src/model/json';
import { parse } from '../../../formats/codec/issues';
import { effectiveDebug } from '../../../formats/settings/settings';
import { apiLimits, defaultLimits, type ApiLimits } from '../../../w3c/limits';
import { words } from '../../words';
import type { IdbStore } from '../../store/idb-store';
import type { SettingsHolder } from '../state/settings';

/** The limits of W3C Attribution in force. In debug mode, names of this device are sites, and tests can set all. Stored. */
export class W3cLimits {
  private constructor(
    private readonly store: IdbStore,
    private readonly settings: SettingsHolder,
    private limits: ApiLimits | null,
  ) {}

  static async load(store: IdbStore, settings: SettingsHolder): Promise<W3cLimits> {
    const saved = (await store.getMeta('w3cLimits')) as Json;
    return new W3cLimits(store, settings, saved === null ? null : parsed(saved));
  }

  get current(): ApiLimits {
    if (!effectiveDebug(this.settings.current).enabled) return defaultLimits;
    return this.limits ?? { ...defaultLimits, localhost: true };
  }

  /**
   * @param limits null restores the defaults
   * @throws Error naming the first invalid field; then nothing changes
   */
  async set(limits: Json): Promise<void> {
    const read = limits === null ? null : parsed(limits);
    await this.store.setMeta('w3cLimits', limits);
    this.limits = read;
  }
}

function parsed(limits: Json): ApiLimits {
  const { value, errors } = parse(limits, apiLimits);
  if (value === null) throw new Error(words.issuesText(errors));
  return value;
}
