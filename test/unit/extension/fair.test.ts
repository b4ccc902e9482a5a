import { FairShare } from '../../../extension/background/state/fair-share';
import { Pace } from '../../../extension/background/state/pace';
import { RuleBatches } from '../../../extension/background/observe/rule-batches';
import { SlidingPool } from '../../../extension/background/deliver/sliding-pool';

describe('FairShare', () => {
  /** How much each gets who takes 1 as long as it may, one after the other. */
  const greedy = (share: FairShare, holder: string): number => {
    let taken = 0;
    while (share.acquire(1, holder) !== null) taken += 1;
    return taken;
  };

  test('gives one alone half, and leaves room for each that comes later', () => {
    const share = new FairShare(64);
    expect(['a', 'b', 'c', 'd'].map((holder) => greedy(share, holder))).toEqual([32, 16, 8, 4]);
    expect(share.acquire(1, 'newcomer')).not.toBeNull();
  });

  test('counts for every holder, and gives back once', () => {
    const share = new FairShare(10);
    const giveBack = share.acquire(4, 'site', 'tab');
    expect(share.acquire(4, 'other site', 'tab')).toBeNull();
    giveBack?.();
    giveBack?.();
    expect(share.acquire(10, 'other site', 'tab')).not.toBeNull();
    expect(share.acquire(1, 'third')).toBeNull();
  });
});

describe('Pace', () => {
  const delays = (pace: Pace, holder: string, count: number, now: number): number[] =>
    Array.from({ length: count }, () => pace.delay(holder, now));

  test('lets some go at once and the others follow at equal distances, for each holder by itself', () => {
    const pace = new Pace(3, 10);
    expect(delays(pace, 'a', 6, 1000)).toEqual([0, 0, 0, 10, 20, 30]);
    expect(delays(pace, 'b', 4, 1000)).toEqual([0, 0, 0, 10]);
    expect(delays(pace, 'a', 2, 1035)).toEqual([5, 15]);
  });

  test('lets as many go at once again after a pause, and no more after a long one', () => {
    const pace = new Pace(3, 10);
    delays(pace, 'a', 3, 1000);
    expect(delays(pace, 'a', 2, 1010)).toEqual([0, 10]);
    expect(delays(pace, 'a', 5, 9000)).toEqual([0, 0, 0, 10, 20]);
  });

  test('does not count what asks whether it need wait, and must', () => {
    const pace = new Pace(3, 10);
    const free = (now: number): boolean[] => Array.from({ length: 6 }, () => pace.isFree('a', now));
    expect(free(1000)).toEqual([true, true, true, false, false, false]);
    expect(free(1010)).toEqual([true, false, false, false, false, false]);
    expect(pace.isFree('b', 1010)).toBe(true);
  });
});

describe('SlidingPool', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const lasting = (seconds: number) => () =>
    new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));

  test('starts a task as soon as another ends, and others past a key that has its share', async () => {
    const pool = new SlidingPool(6, () => 2);
    const start = Date.now();
    const ended = new Map<string, number>();
    const run = (key: string, seconds: number): void => {
      void pool
        .run(key, key, lasting(seconds))
        .then(() => ended.set(`${key}${ended.size}`, (Date.now() - start) / 1000));
    };
    for (let count = 0; count < 36; count++) run('hangs ', 30);
    run('answers ', 1);
    run('answers ', 1);
    run('answers ', 1);
    await jest.advanceTimersByTimeAsync(3000);
    expect([...ended]).toEqual([
      ['answers 0', 1],
      ['answers 1', 1],
      ['answers 2', 2],
    ]);
    await jest.advanceTimersByTimeAsync(18 * 30_000);
    expect(ended.size).toBe(39);
    expect([...ended.values()].at(-1)).toBe(18 * 30);
  });

  test('leaves room for others, however many keys one holder has', async () => {
    const pool = new SlidingPool(8, () => 2);
    const ended: string[] = [];
    for (let key = 0; key < 40; key++) void pool.run(`${key}`, 'attacker', lasting(30));
    void pool.run('honest', 'page', lasting(1)).then(() => ended.push('honest'));
    await jest.advanceTimersByTimeAsync(1500);
    expect(ended).toEqual(['honest']);
    await jest.advanceTimersByTimeAsync(10 * 30_000);
  });

  test('ends a task that hangs only once another needs its place, the one that hangs longest first', async () => {
    const pool = new SlidingPool(2, () => 1);
    const ended: string[] = [];
    const hang = (key: string): void =>
      void pool
        .run(key, key, (hangs) => new Promise<void>((resolve) => hangs(resolve)))
        .then(() => ended.push(key));
    hang('a');
    hang('b');
    await jest.advanceTimersByTimeAsync(1000);
    expect(ended).toEqual([]);
    void pool.run('a', 'a again', lasting(0)).then(() => ended.push('a again'));
    await jest.advanceTimersByTimeAsync(1000);
    // The key has its share, whatever place is free.
    expect(ended).toEqual([]);
    await pool.run('c', 'c', () => Promise.resolve());
    await jest.advanceTimersByTimeAsync(1000);
    expect(ended).toEqual(['a', 'b', 'a again']);
  });

  test('passes results and failures on', async () => {
    const pool = new SlidingPool(1, () => 1);
    await expect(pool.run('a', 'a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await pool.run('a', 'a', () => Promise.resolve(7))).toBe(7);
  });
});

describe('RuleBatches', () => {
  test('makes one call at a time, with all changes that came up meanwhile', async () => {
    const calls: string[] = [];
    let answer = (): void => undefined;
    const batches = new RuleBatches<{ readonly id: number }>((adding, removing) => {
      calls.push(`+${adding.map(({ id }) => id).join()} -${removing.join()}`);
      return new Promise((resolve) => (answer = resolve));
    });
    const first = batches.change([{ id: 1 }], []);
    await Promise.resolve();
    const others = [2, 3, 4].map((id) => batches.change([{ id }], []));
    others.push(batches.change([], [1, 3]));
    answer();
    await first;
    await Promise.resolve();
    answer();
    await Promise.all(others);
    expect(calls).toEqual(['+1 -', '+2,4 -1,3']);
  });

  test.each([
    [3, [2]],
    [1, [1]],
    [256, [100]],
    [256, [1, 256]],
  ])('of %d rules in a batch, all but the refused %j are added, in few calls', async (count, refused) => {
    const added: number[] = [];
    let calls = 0;
    const batches = new RuleBatches<{ readonly id: number }>((adding) => {
      calls += 1;
      if (adding.some(({ id }) => refused.includes(id))) return Promise.reject(new Error('refused'));
      added.push(...adding.map(({ id }) => id));
      return Promise.resolve();
    });
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    await Promise.all(ids.map((id) => batches.change([{ id }], [])));
    expect(added).toEqual(ids.filter((id) => !refused.includes(id)));
    expect(calls).toBeLessThanOrEqual(2 + 2 * refused.length * Math.ceil(Math.log2(count)));
  });
});
