import { SharedWrites } from '../../../extension/store/shared-writes';
import type { Transaction } from '../../../transactions/store';

/** How many works each transaction did that was complete. */
function counted(): { readonly writes: SharedWrites; readonly sizes: number[] } {
  const sizes: number[] = [];
  let size = 0;
  const writes = new SharedWrites(async (work) => {
    size = 0;
    await new Promise((resolve) => setTimeout(resolve));
    const result = await work({ nextId: () => ++size } as Transaction);
    sizes.push(size);
    return result;
  });
  return { writes, sizes };
}

test('what comes up at once, or during a transaction, shares one, and each gets its own result', async () => {
  const { writes, sizes } = counted();
  const add = (): Promise<number> => writes.add((tx) => tx.nextId(), []);
  const first = [add(), add()];
  await Promise.resolve();
  for (let more = 0; more < 5; more++) first.push(add());
  expect(await Promise.all(first)).toEqual([1, 2, 1, 2, 3, 4, 5]);
  expect(await add()).toBe(1);
  expect(sizes).toEqual([2, 5, 1]);
});

test('one that fails harms no other', async () => {
  const { writes, sizes } = counted();
  const failing = (): Promise<never> => writes.add(() => Promise.reject(new Error('broken')), []);
  const add = (): Promise<number> => writes.add((tx) => tx.nextId(), []);
  const all = [add(), add(), failing(), add()];
  expect(await Promise.allSettled(all)).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { reason: new Error('broken') },
    { status: 'fulfilled' },
  ]);
  expect(sizes).toEqual([1, 1, 1]);
  await expect(failing()).rejects.toThrow('broken');
  expect(await add()).toBe(1);
});
