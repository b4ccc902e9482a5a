import browser from 'webextension-polyfill';
import type { Json } from '../../src/model/json';

/** The trial that an administrator set by policy (`storage.managed`, see managed-schema.json), as it is written. */
export async function readManagedTrial(): Promise<Json | null> {
  // Firefox rejects where there is no policy.
  const managed = browser.storage.managed.get('trial') as Promise<{ readonly trial?: Json }>;
  const { trial } = await managed.catch(() => ({ trial: undefined }));
  if (trial === undefined) return null;
  if (typeof trial !== 'string') return trial;
  try {
    return JSON.parse(trial) as Json;
  } catch {
    // Not null, which would be no trial: a text is refused where trials are parsed.
    return trial;
  }
}

const ALARM = 'policy';
/** By then Chrome has its policies, some seconds after it has started. */
const LATEST_MINUTES = 0.5;

export const isPolicyAlarm = (name: string): boolean => name === ALARM;

/** Sets the alarm after which what cannot be read of a policy is not there. */
export const waitForPolicy = (): void =>
  void browser.alarms.create(ALARM, { delayInMinutes: LATEST_MINUTES });

/** Calls back when the policy changed; to be called while the background starts. */
export function onManagedChange(listener: () => void): void {
  browser.storage.onChanged.addListener((_changes, area) => {
    if (area === 'managed') listener();
  });
}
