import browser from 'webextension-polyfill';
import type { W3cApi } from './api';

const ALARM = 'w3c-maintenance';
const DAY_IN_MINUTES = 24 * 60;

export const isMaintenanceAlarm = (name: string): boolean => name === ALARM;

/** Removes expired impressions, and looks whether any are left. To be called when the alarm rings. */
export async function maintain(api: W3cApi): Promise<void> {
  await api.removeExpired().catch((error: unknown) => {
    console.error('Cointoss could not remove expired impressions', error);
  });
  await maintainDaily(api);
}

/** Has expired impressions removed each day while there may be any. The background may start many times a day. */
export async function maintainDaily(api: W3cApi): Promise<void> {
  try {
    if (!(await api.mayHaveImpressions())) await browser.alarms.clear(ALARM);
    else if (!(await isSet()))
      await browser.alarms.create(ALARM, { delayInMinutes: 1, periodInMinutes: DAY_IN_MINUTES });
  } catch (error) {
    console.error('Cointoss could not set the alarm that removes expired impressions', error);
  }
}

/** If the device's clock was put back since, the alarm would ring much later than in a day. */
async function isSet(): Promise<boolean> {
  const alarm = await browser.alarms.get(ALARM);
  return alarm !== undefined && alarm.scheduledTime <= Date.now() + DAY_IN_MINUTES * 60_000;
}
