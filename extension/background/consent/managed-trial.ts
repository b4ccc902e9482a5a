import browser from 'webextension-polyfill';
import type { Json } from '../../../src/model/json';
import { parseIJson } from '../../../formats/codec/json-text';

/** The unparsed trial that an administrator set by policy (`storage.managed`, see managed-schema.json). */
export async function readManagedTrial(): Promise<Json | null> {
  // Firefox rejects when there is no policy.
  const managed = browser.storage.managed.get('trial') as Promise<{ readonly trial?: Json }>;
  const { trial } = await managed.catch(() => ({ trial: undefined }));
  if (trial === undefined) return null;
  if (typeof trial !== 'string') return trial;
  const { value, errors } = parseIJson(trial);
  // Invalid JSON is returned as text, which the trial parser refuses. Null would mean that there is no trial.
  return errors.length === 0 ? value : trial;
}

const ALARM = 'policy';
/** By then Chrome has loaded its policies, which takes some seconds. */
const LATEST_MINUTES = 0.5;

export const isPolicyAlarm = (name: string): boolean => name === ALARM;

/** Sets an alarm. If the policy cannot be read by then, there is none. */
export const waitForPolicy = (): void =>
  void browser.alarms.create(ALARM, { delayInMinutes: LATEST_MINUTES });

/**
 * Call it synchronously while the background starts, because it adds a listener. To one for all areas, the browser would also send the old and the new
 * value of all that the background keeps in the session storage.
 */
export function onManagedChange(listener: () => void): void {
  browser.storage.managed.onChanged.addListener(listener);
}
