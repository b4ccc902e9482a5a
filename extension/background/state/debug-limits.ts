import { chromiumLimits, type Limits } from '../../../src/model/limits';
import type { Json } from '../../../src/model/json';
import { effectiveDebug } from '../../../formats/settings/settings';
import { parse } from '../../../formats/codec/issues';
import { apiConfig } from '../../../analysis/scenario/api-config';
import { words } from '../../words';
import type { IdbStore } from '../../store/idb-store';
import type { SettingsHolder } from './settings';

/** The limits in force: Chromium's, or in debug mode those of a scenario. Stored, so they survive a restart. */
export class DebugLimits {
  private constructor(
    private readonly store: IdbStore,
    private readonly settings: SettingsHolder,
    private limits: Limits | null,
  ) {}

  static async load(store: IdbStore, settings: SettingsHolder): Promise<DebugLimits> {
    const saved = (await store.getMeta('limits')) as Json;
    return new DebugLimits(store, settings, saved === null ? null : parsed(saved));
  }

  get current(): Limits {
    return this.changed ? (this.limits ?? chromiumLimits) : chromiumLimits;
  }

  /** Whether the limits differ from production. */
  get changed(): boolean {
    return this.limits !== null && effectiveDebug(this.settings.current).enabled;
  }

  /**
   * @param config in the form of a scenario's `api_config`; null restores the defaults
   * @throws Error naming the first invalid field; then nothing changes
   */
  async set(config: Json): Promise<void> {
    const limits = config === null ? null : parsed(config);
    await this.store.setMeta('limits', config);
    this.limits = limits;
  }
}

function parsed(config: Json): Limits {
  const { value, errors } = parse(config, apiConfig(chromiumLimits));
  if (value === null) throw new Error(words.issuesText(errors));
  return value.limits;
}
