import { FairQueue, type Registering } from '../../extension/background/fair-queue';
import { FairShare } from '../../extension/background/fair-share';
import { Pace } from '../../extension/background/pace';
import { RuleBatches } from '../../extension/background/rule-batches';
import { SlidingPool } from '../../extension/background/sliding-pool';

describe('FairShare', () => {
  /** How much each gets who takes 1 as long as it may, one after the other. */
  const greedy = (share: FairShare, holder: string): number => {
    let taken = 0;
    while (share.take(1, holder) !== null) taken += 1;
    return taken;
  };

  test('gives one alone half, and leaves room for each that comes later', () => {
    const share = new FairShare(64);
    expect(['a', 'b', 'c', 'd'].map((holder) => greedy(share, holder))).toEqual([32, 16, 8, 4]);
    expect(share.take(1, 'newcomer')).not.toBeNull();
  });

  test('counts for every holder, and gives back once', () => {
    const share = new FairShare(10);
    const giveBack = share.take(4, 'site', 'tab');
    expect(share.take(4, 'other site', 'tab')).toBeNull();
    giveBack?.();
    giveBack?.();
    expect(share.take(10, 'other site', 'tab')).not.toBeNull();
    expect(share.take(1, 'third')).toBeNull();
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

describe('FairQueue', () => {
  /** Adds tasks before the first runs, and resolves to the order in which they ran. */
  const order = async (
    tasks: readonly (readonly [site: string, name: string, registering?: Registering])[],
  ): Promise<string[]> => {
    const queue = new FairQueue();
    const ran: string[] = [];
    let open = (): void => undefined;
    const gate = queue.add('gate', null, () => new Promise<void>((resolve) => (open = resolve)));
    const added = tasks.map(([site, name, registering = null]) =>
      queue.add(site, registering, () => Promise.resolve(void ran.push(name))),
    );
    open();
    await Promise.all([gate, ...added]);
    return ran;
  };

  const source = (reportingOrigin: string): Registering => ({ kind: 'source', reportingOrigin });
  const trigger = (reportingOrigin: string): Registering => ({ kind: 'trigger', reportingOrigin });

  test('lets sites take turns, and keeps the order within each', async () => {
    const flood = ['1', '2', '3', '4'].map((name) => ['flooder', name] as const);
    expect(await order([...flood, ['news', 'a'], ['news', 'b'], ['shop', 'x']])).toEqual([
      ...['1', 'a', 'x'],
      ...['2', 'b'],
      ...['3', '4'],
    ]);
  });

  test('lets a site that comes later go before those that had a turn, but not at once again', async () => {
    const queue = new FairQueue();
    const ran: string[] = [];
    const add = (site: string, name: string, then = (): void => undefined): Promise<void> =>
      queue.add(site, null, () => {
        ran.push(name);
        then();
        return Promise.resolve();
      });
    const added: Promise<void>[] = [];
    // Each asks again as soon as it was served.
    const again = (): void => void added.push(add('late', 'late 2'));
    const late = (): void => void added.push(add('late', 'late 1', again));
    for (const site of ['a', 'b', 'c']) added.push(add(site, `${site}1`, site === 'b' ? late : undefined));
    for (const site of ['a', 'b', 'c']) added.push(add(site, `${site}2`));
    while (ran.length < 8) await Promise.all(added);
    expect(ran).toEqual(['a1', 'b1', 'c1', 'late 1', 'a2', 'b2', 'c2', 'late 2']);
  });

  test('goes on after a task that throws before it returns a promise', async () => {
    const queue = new FairQueue();
    const failing = queue.add('news', null, () => {
      throw new Error('at once');
    });
    const next = queue.add('shop', null, () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('at once');
    await expect(next).resolves.toBe('next');
  });

  test('lets no flood of ever new sites stop one that had its turn', async () => {
    const others = Array.from({ length: 30 }, (_, index) => [`site-${index}`, `${index}`] as const);
    const ran = await order([['news', 'first'], ['news', 'second'], ...others]);
    // The gate and the first are two of the five.
    expect(ran.indexOf('second')).toBe(4);
  });

  test('lets a trigger find the earlier sources of its reporting origin', async () => {
    const waiting = [
      ['shop', 'trigger', trigger('adtech')],
      ['news', 'other source', source('other')],
      ['news', 'late source', source('adtech')],
    ] as const;
    expect(await order([['news', 'image'], ['news', 'source', source('adtech')], ...waiting])).toEqual([
      'image',
      'source',
      'trigger',
      'other source',
      'late source',
    ]);
  });

  test('lets no flood of sources delay a trigger of the same reporting origin by more than its first five', async () => {
    const flood = Array.from(
      { length: 50 },
      (_, index) => ['flooder', `${index}`, source('adtech')] as const,
    );
    const ran = await order([...flood, ['shop', 'trigger', trigger('adtech')]]);
    expect(ran.indexOf('trigger')).toBe(5);
  });

  test('follows needs over several sites', async () => {
    expect(
      await order([
        ['a', 'a1', source('x')],
        ['b', 'b1', trigger('x')],
        ['b', 'b2', source('y')],
        ['c', 'c1', trigger('y')],
      ]),
    ).toEqual(['a1', 'b1', 'b2', 'c1']);
    // The queue begins with c, which needs b, which needs a.
    expect(
      await order([
        ['c', 'c0'],
        ['a', 'a0'],
        ['a', 'a1', source('x')],
        ['b', 'b1', trigger('x')],
        ['b', 'b2', source('y')],
        ['c', 'c1', trigger('y')],
      ]),
    ).toEqual(['c0', 'a0', 'a1', 'b1', 'b2', 'c1']);
  });

  describe('of a flood', () => {
    let queue: FairQueue;
    let ran: string[];
    beforeEach(() => {
      jest.useFakeTimers();
      queue = new FairQueue();
      ran = [];
    });
    afterEach(() => void jest.useRealTimers());

    /** Tasks of 30 ms. */
    const add = (site: string, count: number, isPaced = true): Promise<unknown> => {
      const work = async (): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        ran.push(site);
      };
      return Promise.all(Array.from({ length: count }, () => queue.add(site, null, work, isPaced)));
    };
    const ofFlood = (): number => ran.filter((site) => site === 'flooder').length;

    test('runs the tasks of a site that is alone one after the other', async () => {
      const all = add('flooder', 200);
      await jest.advanceTimersByTimeAsync(200 * 30);
      expect(ran).toHaveLength(200);
      await all;
      // Nothing more is waited for.
      expect(jest.getTimerCount()).toBe(0);
    });

    test('runs 50 of a site at once, and more in a third of the time, while there are others', async () => {
      const all = [add('shop', 1), add('flooder', 200)];
      await jest.advanceTimersByTimeAsync(51 * 30);
      expect(ofFlood()).toBe(50);
      await jest.advanceTimersByTimeAsync(4500);
      // Each second, one more runs without a rest.
      const later = ofFlood() - 50;
      expect(later).toBeGreaterThanOrEqual(50);
      expect(later).toBeLessThanOrEqual(56);
      for (let turn = 0; turn < 20; turn++) {
        // Within a rest or a task of the flood.
        all.push(add('news', 1));
        await jest.advanceTimersByTimeAsync(61);
        expect(ran.slice(-2)).toContain('news');
        ran.push('checked');
        await jest.advanceTimersByTimeAsync(7);
      }
      await jest.advanceTimersByTimeAsync(20_000);
      expect(ofFlood()).toBe(200);
      await Promise.all(all);
      expect(jest.getTimerCount()).toBe(0);
    });

    test('does not slow down what no page asks for', async () => {
      const all = [add('shop', 1), add('flooder', 200, false)];
      await jest.advanceTimersByTimeAsync(201 * 30);
      expect(ran).toHaveLength(201);
      await Promise.all(all);
    });

    test('runs them without a rest again when nothing came of others for ten seconds', async () => {
      const all = [add('shop', 1), add('flooder', 400)];
      await jest.advanceTimersByTimeAsync(10_100);
      const before = ofFlood();
      await jest.advanceTimersByTimeAsync(3000);
      expect(ofFlood() - before).toBeGreaterThanOrEqual(98);
      await jest.advanceTimersByTimeAsync(20_000);
      await Promise.all(all);
    });
  });

  test('goes on after a failure, which only its own caller gets', async () => {
    const queue = new FairQueue();
    const failing = queue.add('a', null, () => Promise.reject(new Error('broken')));
    const next = queue.add('a', null, () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
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
