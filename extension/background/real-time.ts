import type { Clock } from './clock';
import type { SettingsHolder } from './settings';

/**
 * Outside debug mode the clock is the device's: a clock that stayed turned would let reports leave before their time.
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
