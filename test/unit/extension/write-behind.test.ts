import { WriteBehind } from '../../../extension/background/record/write-behind';
import type { InboxRow } from '../../../recording/requests';
import { entriesIn } from '../helpers/entries-in';

const row = (id: number): InboxRow => ({ id }) as InboxRow;

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

/** A disk whose writes complete or fail when a test says so. */
function newDisk() {
  const rows = new Map<number, InboxRow>();
  const writes: { readonly complete: () => void; readonly fail: () => void }[] = [];
  const put = (changes: ReadonlyMap<number, InboxRow | null>): Promise<void> =>
    new Promise((resolve, reject) => {
      const complete = (): void => {
        for (const [id, changed] of changes)
          if (changed === null) rows.delete(id);
          else rows.set(id, changed);
        resolve();
      };
      writes.push({ complete, fail: () => reject(new Error('the disk is full')) });
    });
  return { rows, writes, behind: new WriteBehind({ put }) };
}

test.each([
  ['succeeds', 'complete'],
  ['fails', 'fail'],
] as const)(
  'a failed write brings no row back that a later one deleted, if the later one %s first',
  async (_how, end) => {
    const { rows, writes, behind } = newDisk();
    behind.later(5, row(5));
    behind.later(6, row(6));
    const first = behind.now();
    behind.later(5, null);
    const second = behind.now();
    writes[1]?.[end]();
    await second.catch(() => undefined);
    writes[0]?.fail();
    await expect(first).rejects.toThrow('full');
    const retried = behind.now();
    writes[2]?.complete();
    await retried;
    expect([...rows.keys()]).toEqual([6]);
    expect(entriesIn(behind)).toBe(0);
  },
);

test('what waits for all writes hears of one that failed before the last', async () => {
  const { writes, behind } = newDisk();
  behind.later(1, row(1));
  void behind.now();
  behind.later(5, null);
  const flushed = behind.flush();
  // Others begin writes meanwhile, the first with what it waits for.
  for (const id of [6, 7]) {
    behind.later(id, row(id));
    behind.now().catch(() => undefined);
  }
  writes[0]?.complete();
  await jest.advanceTimersByTimeAsync(0);
  writes[1]?.fail();
  writes[2]?.complete();
  await expect(flushed).rejects.toThrow('full');
});

test('what failed before it is written again', async () => {
  const { rows, writes, behind } = newDisk();
  behind.later(1, row(1));
  behind.now().catch(() => undefined);
  const flushed = behind.flush();
  writes[0]?.fail();
  await jest.advanceTimersByTimeAsync(0);
  writes[1]?.complete();
  await flushed;
  expect([...rows.keys()]).toEqual([1]);
});
