import type { Clock } from './clock';
import type { SettingsHolder } from './settings';

/**
 * Puts the clock back to the device's time outside debug mode. A clock that stays turned would send reports too early.
 * @param moved called after the clock went back
 */
export async function keepRealTime(settings: SettingsHolder, clock: Clock, moved: () => void): Promise<void> {
  const keep = async (): Promise<void> => {
    if (settings.current.debug.enabled || (!clock.frozen && clock.ahead === 0)) return;
    await clock.reset();
    moved();
  };
  settings.onChange(keep);
  await keep();
}
