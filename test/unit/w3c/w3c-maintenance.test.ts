import 'fake-indexeddb/auto';
import browser from 'webextension-polyfill';
import { W3cApi } from '../../../extension/background/w3c/api';
import { isMaintenanceAlarm, maintain, maintainDaily } from '../../../extension/background/w3c/maintenance';
import { W3cStore } from '../../../extension/store/w3c-store';
import { seededRandomSource } from '../../../analysis/random/sources';
import { days, moment } from '../../../src/model/units';
import { defaultLimits } from '../../../w3c/limits';

/* W3C Attribution, "Maintenance". */

const START = 1_767_225_600_000;
const site = {
  via: 'by hand',
  topLevelHost: 'news.example',
  callerHost: 'news.example',
  isOff: false,
} as const;

let stores = 0;

function newApi() {
  const settings = {
    mayRecord: true,
    current: { w3cAttribution: false, debug: { enabled: false } },
    onChange: (): void => undefined,
  };
  const clock = { time: START, ahead: 0 };
  const name = `w3c maintenance ${stores++}`;
  const store = new W3cStore(name);
  const api = new W3cApi({
    store,
    settings,
    clock: {
      now: () => moment(clock.time),
      get ahead() {
        return clock.ahead;
      },
    },
    limits: { current: defaultLimits },
    random: (stream: number) => seededRandomSource('w3c maintenance', stream),
  } as unknown as ConstructorParameters<typeof W3cApi>[0]);
  const save = (lifetimeDays: number): Promise<unknown> =>
    api.call({ ...site, call: 'saveImpression', options: { histogramIndex: lifetimeDays, lifetimeDays } });
  const isThere = async (): Promise<boolean> =>
    (await indexedDB.databases()).some((one) => one.name === name);
  return { api, name, store, settings, clock, save, isThere };
}

afterEach(() => void jest.restoreAllMocks());

test('an alarm is set while pages may call the API, or did, and left alone once it is set', async () => {
  const { api, settings, save } = newApi();
  const set = jest.spyOn(browser.alarms, 'create');
  await maintainDaily(api);
  expect(set).not.toHaveBeenCalled();
  settings.current.w3cAttribution = true;
  await maintainDaily(api);
  expect(set).toHaveBeenCalledTimes(1);
  const [name, times] = set.mock.calls[0] as unknown as [string, object];
  expect(isMaintenanceAlarm(name)).toBe(true);
  expect(times).toEqual({ delayInMinutes: 1, periodInMinutes: 1440 });
  await save(1);
  await api.view();
  settings.current.w3cAttribution = false;
  await maintainDaily(api);
  expect(set).toHaveBeenCalledTimes(2);
  jest.spyOn(browser.alarms, 'get').mockResolvedValue({ name, scheduledTime: START });
  await maintainDaily(api);
  expect(set).toHaveBeenCalledTimes(2);
});

test('an alarm that the clock of the device put far away is set anew', async () => {
  const { api, settings } = newApi();
  settings.current.w3cAttribution = true;
  const set = jest.spyOn(browser.alarms, 'create');
  const get = jest.spyOn(browser.alarms, 'get');
  get.mockResolvedValue({ name: '', scheduledTime: Date.now() + days(365) });
  await maintainDaily(api);
  expect(set).toHaveBeenCalledTimes(1);
  get.mockResolvedValue({ name: '', scheduledTime: Date.now() + days(1) });
  await maintainDaily(api);
  expect(set).toHaveBeenCalledTimes(1);
});

test('a clearing of a site, and a look at what there is, make no database for who never used the API', async () => {
  const { api, save, isThere, store } = newApi();
  await api.clearForSite('news.example');
  expect(await store.content()).toMatchObject({ impressions: [], budgets: [], log: [] });
  expect(await isThere()).toBe(false);
  await save(7);
  expect((await store.content()).impressions).toHaveLength(1);
  await api.clearForSite('news.example');
  expect(await store.content()).toMatchObject({ impressions: [], log: [{ site: 'news.example' }] });
});

test('a database that is saved and deleted while a background that has just started looks for it is there', async () => {
  const { name, store } = newApi();
  // Each look sees what there is then.
  const looks = [[name], [`${name} while it is replaced`]];
  jest
    .spyOn(indexedDB, 'databases')
    .mockImplementation(() =>
      Promise.resolve((looks.shift() ?? []).map((one) => ({ name: one, version: 1 }))),
    );
  expect(await store.isThere()).toBe(true);
});

test('erasing makes no database for who never used the API, and no alarm', async () => {
  const { api, isThere } = newApi();
  const set = jest.spyOn(browser.alarms, 'create');
  const { count, restore } = await api.erase(null);
  await restore();
  expect(count).toBe(0);
  expect(await isThere()).toBe(false);
  await api.view();
  await maintainDaily(api);
  expect(set).not.toHaveBeenCalled();
});

test('erasing reaches a call that is only just being written', async () => {
  const { api, save } = newApi();
  const saved = save(1);
  await api.erase(null);
  await saved;
  expect((await api.view()).impressions).toEqual([]);
});

test('the alarm ends with the last impression of an API that is off', async () => {
  const { api, clock, save } = newApi();
  const cleared = jest.spyOn(browser.alarms, 'clear');
  await save(1);
  await maintain(api);
  expect(cleared).not.toHaveBeenCalled();
  clock.time += days(1) + 1;
  await maintain(api);
  expect(cleared).toHaveBeenCalledTimes(1);
});

test('nothing is removed while a test has turned the clock', async () => {
  const { api, settings, clock, save } = newApi();
  await save(1);
  settings.current.debug.enabled = true;
  clock.time += days(2);
  clock.ahead = days(2);
  await api.removeExpired();
  expect((await api.view()).impressions).toHaveLength(1);
  clock.ahead = 0;
  await api.removeExpired();
  expect((await api.view()).impressions).toEqual([]);
});

test('a failure is logged', async () => {
  const { api } = newApi();
  const logged = jest.spyOn(console, 'error').mockReturnValue();
  jest.spyOn(api, 'removeExpired').mockRejectedValue(new Error('disk'));
  jest.spyOn(api, 'mayHaveImpressions').mockRejectedValue(new Error('disk'));
  await maintain(api);
  expect(logged).toHaveBeenCalledTimes(2);
});

test('it removes what has expired, and makes no database where there is none', async () => {
  const { api, clock, save, isThere } = newApi();
  await api.removeExpired();
  expect(await isThere()).toBe(false);
  await save(1);
  await save(2);
  clock.time += days(1);
  await api.removeExpired();
  expect((await api.view()).impressions).toHaveLength(2);
  clock.time += 1;
  await api.removeExpired();
  expect((await api.view()).impressions).toMatchObject([{ histogramIndex: 2 }]);
});
