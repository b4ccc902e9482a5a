import 'fake-indexeddb/auto';
import { setTimeout as sleep } from 'node:timers/promises';
import browser from 'webextension-polyfill';
import { W3cApi } from '../../../extension/background/w3c/api';
import { W3cStore } from '../../../extension/store/w3c-store';
import { seededRandomSource } from '../../../analysis/random/sources';
import { days, moment } from '../../../src/model/units';
import { defaultLimits } from '../../../w3c/limits';
import { waitFor } from '../../../scenarios/kit/wait';
import { useCrashes } from '../helpers/crash/use-crashes';
import { tell } from '../helpers/webextension';
import { ofOwnPage, startWholeBackground } from '../helpers/whole-background';

const ALARM = 'w3c-maintenance';

const store = new W3cStore();
const set = jest.spyOn(browser.alarms, 'create');
const isSet = (): boolean => set.mock.calls.some(([name]) => (name as unknown) === ALARM);

useCrashes();

beforeAll(startWholeBackground);

/** As a page saved it so long ago. */
function savedAgo(age: number): Promise<unknown> {
  const api = new W3cApi({
    store,
    settings: { mayRecord: true, current: { debug: { enabled: false } }, onChange: () => undefined },
    clock: { now: () => moment(Date.now() - age) },
    limits: { current: defaultLimits },
    random: (stream: number) => seededRandomSource('w3c alarm', stream),
  } as unknown as ConstructorParameters<typeof W3cApi>[0]);
  const site = { topLevelHost: 'news.example', callerHost: 'news.example', isOff: false } as const;
  const options = { histogramIndex: 1, lifetimeDays: 1 };
  api.call({ ...site, via: 'by hand', call: 'saveImpression', options }).catch(() => undefined);
  return store.content();
}

test('who declines gets no alarm and no database', async () => {
  await ofOwnPage({ kind: 'decline', trial: null });
  await ofOwnPage({ kind: 'list', table: 'log', limit: 1 });
  await sleep(50);
  expect(isSet()).toBe(false);
  expect(await new W3cStore().isThere()).toBe(false);
});

test('who turns the API on gets an alarm, which removes what has expired', async () => {
  await ofOwnPage({ kind: 'accept', trial: null });
  await ofOwnPage({ kind: 'set-settings', settings: { w3cAttribution: true } });
  await waitFor('the alarm', () => Promise.resolve(isSet()));
  await savedAgo(days(2));
  expect((await store.content()).impressions).toHaveLength(1);
  tell('alarm', { name: ALARM });
  await waitFor('the end of the impression', async () => (await store.content()).impressions.length === 0);
});
