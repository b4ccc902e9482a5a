import type { Json } from '../../src/model/recording-rule';
import { defaultSettings, effectiveDebug, type Settings } from '../../src/model/settings';
import type { Conditions } from '../../src/engine';
import type { Site } from '../../src/model/units';
import { parseSettings } from '../../src/settings/parse-settings';
import type { Clock } from './clock';
import type { IdbStore } from './idb-store';

/** The settings in force. Only the background changes them, so that what it holds in memory is what is stored. */
export class SettingsHolder {
  private readonly listeners: (() => void)[] = [];
  private updating: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly store: IdbStore,
    private settings: Settings,
  ) {}

  static async load(store: IdbStore): Promise<SettingsHolder> {
    const saved = (await store.getMeta('settings')) as Json;
    return new SettingsHolder(
      store,
      saved === null ? defaultSettings : (parseSettings(saved).value ?? defaultSettings),
    );
  }

  get current(): Settings {
    return this.settings;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** @throws Error naming the first field that is not valid; then nothing changes. */
  update(change: Json): Promise<Settings> {
    // In turn: two quick changes must not both start from the same settings.
    const updated = this.updating.then(() => this.apply(change));
    this.updating = updated.catch(() => undefined);
    return updated;
  }

  private async apply(change: Json): Promise<Settings> {
    const { value, errors } = parseSettings(change, this.settings);
    if (value === null) throw new Error(errors.map(({ path, message }) => `${path}: ${message}`).join('; '));
    await this.store.setMeta('settings', value);
    this.settings = value;
    for (const listener of this.listeners) listener();
    return value;
  }

  isPaused(site: Site): boolean {
    return this.settings.paused || this.settings.pausedSites.includes(site);
  }

  /** How the engine is to process what is registered now. */
  conditions(clock: Clock): Conditions {
    const { noise, delay, debugReports } = effectiveDebug(this.settings);
    return {
      mechanisms: this.settings,
      noise: { kind: noise ? 'on' : 'off' },
      delay,
      debugAllowed: debugReports,
      debug: this.differences(clock),
    };
  }

  /** What is not as in production, for every page and trace to say. */
  differences(clock: Clock): readonly string[] {
    const { noise, delay, seed } = effectiveDebug(this.settings);
    return [
      ...(noise ? [] : ['noise off']),
      ...(delay ? [] : ['delay off']),
      ...(seed === null ? [] : ['noise seeded']),
      ...(clock.frozen ? ['clock stopped'] : clock.ahead === 0 ? [] : ['clock turned forward']),
    ];
  }
}
