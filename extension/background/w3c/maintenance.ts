import browser from 'webextension-polyfill';
import type { W3cApi } from './api';

const ALARM = 'w3c-maintenance';
const DAY_IN_MINUTES = 24 * 60;

export const isMaintenanceAlarm = (name: string): boolean => name === ALARM;

/** Has expired impressions removed each day. An alarm that is set stays as it is: the background may start many times a day. */
export async function maintainDaily(api: W3cApi): Promise<void> {
  if ((await api.mayHaveImpressions()) && (await browser.alarms.get(ALARM)) === undefined)
    await browser.alarms.create(ALARM, { delayInMinutes: 1, periodInMinutes: DAY_IN_MINUTES });
}
