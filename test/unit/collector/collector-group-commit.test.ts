import { GroupCommit, Overload } from '../../../collector/store/group-commit';

const limits = { items: 4, bytes: 100, waitingBytes: 1000 };

const isOfAnItem = (error: unknown): boolean => String(error).includes('cannot be written');

/** Writes batches when it is told to. */
class Writer {
  readonly batches: (readonly number[])[] = [];
  #finish: (() => void) | null = null;

  readonly write = async (items: readonly number[]): Promise<readonly string[]> => {
    this.batches.push(items);
    await new Promise<void>((resolve) => (this.#finish = resolve));
    if (items.includes(13)) throw new Error('13 cannot be written');
    if (items.includes(17)) throw new Error('the disk is full');
    return items.map((item) => `wrote ${item}`);
  };

  async finishAll(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) {
      await new Promise(setImmediate);
      this.#finish?.();
    }
  }
}

test('what arrives during a batch makes the next ones, in order, within the limits', async () => {
  const writer = new Writer();
  const commits = new GroupCommit(writer.write, isOfAnItem, limits);
  const first = commits.add(1, 10);
  await new Promise(setImmediate);
  const rest = [2, 3, 4, 5, 6].map((item) => commits.add(item, 10));
  const large = [7, 8].map((item) => commits.add(item, 95));
  expect(commits.waiting).toBe(7);
  await writer.finishAll();
  expect(await Promise.all([first, ...rest, ...large])).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((item) => `wrote ${item}`),
  );
  expect(writer.batches).toEqual([[1], [2, 3, 4, 5], [6], [7], [8]]);
  await commits.drain();
  expect(commits.waiting).toBe(0);
});

test('a batch that fails fails for those in it only', async () => {
  const writer = new Writer();
  const commits = new GroupCommit(writer.write, isOfAnItem, limits);
  const results = [1, 17, 2, 3, 4].map((item) => commits.add(item, 1));
  const settled = Promise.allSettled(results);
  await writer.finishAll();
  expect((await settled).map(({ status }) => status)).toEqual([
    ...Array<string>(4).fill('rejected'),
    'fulfilled',
  ]);
});

test.each([0, 1, 2, 3])(
  'an item that cannot be written, at place %i of its batch, fails alone',
  async (place) => {
    const writer = new Writer();
    const commits = new GroupCommit(writer.write, isOfAnItem, limits);
    const items = [1, 2, 3, 4].with(place, 13);
    const settled = Promise.allSettled([...items, 5].map((item) => commits.add(item, 1)));
    await writer.finishAll();
    expect((await settled).map(({ status }) => status)).toEqual(
      [...items, 5].map((item) => (item === 13 ? 'rejected' : 'fulfilled')),
    );
    expect(writer.batches.at(-1)).toEqual([5]);
  },
);

test('an item that would make too much wait is refused, and room that became free is used', async () => {
  const writer = new Writer();
  const commits = new GroupCommit(writer.write, isOfAnItem, limits);
  const fits = commits.add(1, 1000);
  await expect(commits.add(2, 1)).rejects.toThrow(Overload);
  await writer.finishAll();
  expect(await fits).toBe('wrote 1');
  const next = commits.add(3, 1000);
  await writer.finishAll();
  expect(await next).toBe('wrote 3');
});
