import 'fake-indexeddb/auto';
import { Clock } from '../../../extension/background/state/clock';
import { Erasing } from '../../../extension/background/record/erasing';
import { Participation } from '../../../extension/background/state/participation';
import { SettingsHolder } from '../../../extension/background/state/settings';
import { IdbStore } from '../../../extension/store/idb-store';
import { after, days } from '../../../src/model/units';
import { START } from '../helpers/engine';

const first = 'https://first.example';
const second = 'https://second.example';
const third = 'https://third.example';

/** One run of the background after the other, over one database. */
async function world(name: string) {
  const store = await IdbStore.open(name);
  const start = async () => {
    const clock = await Clock.load(store);
    const participation = await Participation.load(store, clock, () => Promise.resolve(null));
    await participation.setAgreement({ answer: 'accepted', time: 0, trial: null });
    const settings = await SettingsHolder.load(store, participation, true);
    const erasing = new Erasing(store, { forgetAddressees: () => settings.forgetEarlierAddressees(clock) });
    const at = async (day: number) => clock.setTo(after(START, days(day)), true);
    const earlier = () =>
      settings
        .conditions(clock)
        .earlierAddressees?.map(({ until, addressee }) => [
          (until - START) / days(1),
          addressee.recipient ?? null,
        ]);
    const use = (collector: string | null, more: object = {}) =>
      settings.update({ collector, aggregatableReports: true, ...more });
    return { at, earlier, use, erasing };
  };
  // Transactions come one after the other.
  return { start, written: () => store.write(() => undefined) };
}

test('whom reports were for before is known after a restart, for a month, and until everything is erased', async () => {
  const { start, written } = await world('addressees');
  const one = await start();
  await one.at(0);
  await one.use(first);
  expect(one.earlier()).toEqual([]);
  await one.at(4);
  await one.use(second);
  expect(one.earlier()).toEqual([[4, first]]);
  await written();

  const two = await start();
  await two.at(6);
  expect(two.earlier()).toEqual([[4, first]]);
  // Another key is another addressee.
  await two.use(second, {
    aggregationKeys: [{ id: 'k', key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' }],
  });
  expect(two.earlier()).toEqual([
    [4, first],
    [6, second],
  ]);
  // What nothing was registered for does not count.
  await two.use(third, { aggregationKeys: [] });
  await two.use(second);
  await two.at(40);
  expect(two.earlier()).toEqual([[40, second]]);
  // A source from day 40 lives until day 70, and a null report of it may claim a whole day.
  await two.at(71.75);
  await two.use(first);
  expect(two.earlier()?.map(([until]) => until)).toEqual([40, 71.75]);
  await two.at(72);
  await two.use(second);
  expect(two.earlier()?.map(([until]) => until)).toEqual([71.75, 72]);
  await written();

  await two.erasing.eraseForGood();
  expect(two.earlier()).toEqual([]);
  expect((await start()).earlier()).toEqual([]);
});

describe('when erasing everything is undone', () => {
  const erased = async (name: string) => {
    const one = await (await world(name)).start();
    await one.at(0);
    await one.use(first);
    one.earlier();
    await one.at(4);
    await one.use(second);
    expect(one.earlier()).toEqual([[4, first]]);
    await one.at(5);
    await one.erasing.erase(null);
    return one;
  };

  test('whom reports were for before is known again, and after a restart', async () => {
    const one = await erased('addressees-undone');
    await one.erasing.undo();
    expect(one.earlier()).toEqual([[4, first]]);
    expect((await (await world('addressees-undone')).start()).earlier()).toEqual([[4, first]]);
  });

  test('for whom they were meanwhile is also known', async () => {
    const one = await erased('addressees-meanwhile');
    await one.use(third);
    expect(one.earlier()).toEqual([]);
    await one.at(6);
    await one.use(second);
    expect(one.earlier()).toEqual([[6, third]]);
    await one.erasing.undo();
    expect(one.earlier()).toEqual([
      [4, first],
      [5, second],
      [6, third],
    ]);
  });

  test('the same one meanwhile counts once', async () => {
    const one = await erased('addressees-same');
    expect(one.earlier()).toEqual([]);
    await one.erasing.undo();
    expect(one.earlier()).toEqual([[4, first]]);
  });

  test('without the store, they are still known', async () => {
    const one = await (await world('addressees-not-erased')).start();
    await one.at(0);
    await one.use(first);
    one.earlier();
    await one.at(4);
    await one.use(second);
    one.earlier();
    const failing = jest
      .spyOn(IdbStore.prototype, 'write')
      .mockRejectedValueOnce(new Error('the disk is full'));
    await expect(one.erasing.erase(null)).rejects.toThrow('the disk is full');
    failing.mockRestore();
    expect(one.earlier()).toEqual([[4, first]]);
  });
});

test('a background that ends before it is written loses none', async () => {
  const { start, written } = await world('addressees-lost');
  const one = await start();
  await one.at(0);
  await one.use(first);
  one.earlier();
  await written();
  await one.at(2);
  await one.use(second);
  // It ends here, without a registration.
  const two = await start();
  await two.at(3);
  expect(two.earlier()).toEqual([[3, first]]);
});

test('there are none without aggregatable reports', async () => {
  const { start } = await world('addressees-off');
  const one = await start();
  await one.at(0);
  await one.use(first);
  one.earlier();
  await one.use(null);
  expect(one.earlier()).toEqual([]);
  await one.use(second);
  expect(one.earlier()).toEqual([[0, first]]);
});
