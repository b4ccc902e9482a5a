import { FairQueue, type Registering } from '../../../extension/background/record/fair-queue';

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

  describe('of what runs at once', () => {
    /** Names of registrations, or of tasks that run alone, and those that ran at once. */
    const atOnce = async (names: readonly string[], mayShare?: () => boolean): Promise<string[]> => {
      const queue = new FairQueue(mayShare);
      const begun: string[] = [];
      const turns: string[] = [];
      const run = async (name: string): Promise<void> => {
        begun.push(name);
        await new Promise((resolve) => setTimeout(resolve));
        if (begun.length > 0) turns.push(begun.splice(0).join(' '));
      };
      const gate = queue.add('gate', null, () => Promise.resolve());
      const added = names.map((name) =>
        queue.add('news', name === 'alone' ? null : source('adtech'), () => run(name)),
      );
      await Promise.all([gate, ...added]);
      return turns;
    };

    test.each([
      ['registrations, eight at most', 'abcdefghijk'.split(''), ['a b c d e f g h', 'i j k']],
      [
        'no task that must run alone',
        ['a', 'b', 'alone', 'c', 'alone', 'alone'],
        ['a b', 'alone', 'c', 'alone', 'alone'],
      ],
    ])('are %s', async (_, names, turns) => expect(await atOnce(names)).toEqual(turns));

    test('is nothing while one registration uses up what the next must not find', async () => {
      const answers = [true, true, false, false, true, true];
      expect(await atOnce('abcde'.split(''), () => answers.shift() ?? true)).toEqual(['a b', 'c', 'd e']);
    });

    test('is at most one of a flood', async () => {
      const queue = new FairQueue();
      let [running, most] = [0, 0];
      const run = async (): Promise<void> => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve));
        running -= 1;
      };
      const add = (site: string, count: number): Promise<void>[] =>
        Array.from({ length: count }, () => queue.add(site, source('adtech'), run));
      await Promise.all([...add('shop', 1), ...add('flooder', 50)]);
      expect(most).toBe(8);
      most = 0;
      await Promise.all([...add('shop', 1), ...add('flooder', 3)]);
      expect(most).toBe(2);
    });
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

    /** Tasks of 30 ms, or so many. */
    const add = (site: string, count: number, isPaced = true, duration = 30): Promise<unknown> => {
      const work = async (): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, duration));
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

    test('runs long ones in a third of the time', async () => {
      const all = [add('shop', 1), add('flooder', 50), add('flooder', 100, true, 300)];
      await jest.advanceTimersByTimeAsync(51 * 30);
      expect(ofFlood()).toBe(50);
      await jest.advanceTimersByTimeAsync(8000);
      // Each second, one more runs without a rest: with seven of these, six rest for 600 ms.
      const later = ofFlood() - 50;
      expect(later).toBeGreaterThanOrEqual(13);
      expect(later).toBeLessThanOrEqual(17);
      await jest.advanceTimersByTimeAsync(200_000);
      await Promise.all(all);
    });

    test('runs 50 of a site at once, and then five a second, while there are others', async () => {
      const all = [add('shop', 1), add('flooder', 200)];
      await jest.advanceTimersByTimeAsync(51 * 30);
      expect(ofFlood()).toBe(50);
      await jest.advanceTimersByTimeAsync(4500);
      // After each one 200 ms. Each second, one more runs without a rest.
      const later = ofFlood() - 50;
      expect(later).toBeGreaterThanOrEqual(19);
      expect(later).toBeLessThanOrEqual(25);
      for (let turn = 0; turn < 20; turn++) {
        // Within a rest or a task of the flood.
        all.push(add('news', 1));
        await jest.advanceTimersByTimeAsync(61);
        expect(ran.slice(-2)).toContain('news');
        ran.push('checked');
        await jest.advanceTimersByTimeAsync(7);
      }
      await jest.advanceTimersByTimeAsync(40_000);
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
