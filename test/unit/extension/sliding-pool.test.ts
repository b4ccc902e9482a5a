import assert from 'node:assert/strict';
import { SlidingPool, type Hangs } from '../../../extension/background/deliver/sliding-pool';
import { uniformBelow } from '../../../src/privacy/uniform';
import { seededRandomSource } from '../../../analysis/random/sources';

/* What holds for any tasks that come, hang and end in any order: random ones, with fixed seeds. */

const KEYS = ['one', 'two', 'three'];
const HOLDERS = ['x', 'y', 'z'];
const ACTIONS = 80;

/** What the pool should know of a task. */
interface Task {
  readonly number: number;
  readonly key: string;
  readonly holder: string;
  readonly end: () => void;
  hangs: Hangs | null;
  hasPlace: boolean;
}

const quiet = (): Promise<void> => new Promise(setImmediate);

class Model {
  readonly waiting: Task[] = [];
  readonly running = new Set<Task>();
  /** The longest first. */
  readonly hanging = new Set<Task>();
  readonly failures: unknown[] = [];
  evicted = 0;
  private count = 0;
  private readonly pool: SlidingPool;

  constructor(
    readonly most: number,
    readonly mostOf: (key: string) => number,
  ) {
    this.pool = new SlidingPool(most, mostOf);
  }

  get free(): number {
    return this.most - [...this.running].filter(({ hasPlace }) => hasPlace).length;
  }

  held(holder: string): number {
    return [...this.running].filter((one) => one.hasPlace && one.holder === holder).length;
  }

  busy(key: string): number {
    return [...this.running].filter((one) => one.key === key).length;
  }

  add(key: string, holder: string): void {
    let end = (): void => undefined;
    const ending = new Promise<void>((resolve) => (end = resolve));
    const task: Task = { number: this.count++, key, holder, end, hangs: null, hasPlace: false };
    this.waiting.push(task);
    const ran = this.pool.run(key, holder, (hangs) => {
      this.started(task, hangs);
      return ending;
    });
    ran.catch((error: unknown) => this.failures.push(error));
  }

  private started(task: Task, hangs: Hangs): void {
    const first = this.waiting.find(({ key, holder }) => key === task.key && holder === task.holder);
    // First come, first served, among the same.
    assert.equal(task, first);
    assert(this.busy(task.key) < this.mostOf(task.key));
    assert(this.held(task.holder) + 1 <= this.free);
    this.waiting.splice(this.waiting.indexOf(task), 1);
    Object.assign(task, { hangs, hasPlace: true });
    this.running.add(task);
  }

  hang(task: Task): void {
    this.hanging.add(task);
    task.hangs?.(() => {
      // Only for another, and the longest first.
      assert(this.waiting.length > 0);
      assert.equal([...this.hanging][0], task);
      this.evicted += 1;
      task.hasPlace = false;
      this.end(task);
    });
  }

  end(task: Task): void {
    this.running.delete(task);
    this.hanging.delete(task);
    task.end();
  }

  /** The tasks that could start, now that nothing moves. */
  get forgotten(): readonly Task[] {
    return this.waiting.filter(({ key, holder }) => {
      if (this.busy(key) >= this.mostOf(key)) return false;
      if (this.free > 0) return this.held(holder) + 1 <= this.free;
      return this.hanging.size > 0 && this.held(holder) === 0;
    });
  }
}

test('no task waits that could run, none runs that may not, and all end', async () => {
  let [most, evicted] = [0, 0];
  for (let seed = 0; seed < 60; seed++) {
    const random = seededRandomSource('sliding pool', seed);
    const below = (bound: number): number => Number(uniformBelow(random, BigInt(bound)));
    const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
    const limits = new Map(KEYS.map((key) => [key, 1 + below(2)]));
    const model = new Model(1 + below(7), (key) => limits.get(key) ?? 1);
    for (let action = 0; action < ACTIONS; action++) {
      const kind = below(5);
      const running = [...model.running];
      if (kind < 2 || running.length === 0) model.add(pick(KEYS), pick(HOLDERS));
      else if (kind < 4) model.end(pick(running));
      else {
        const awake = running.filter((one) => !model.hanging.has(one));
        if (awake.length > 0) model.hang(pick(awake));
      }
      await quiet();
      expect(model.failures).toEqual([]);
      expect([seed, action, model.forgotten]).toEqual([seed, action, []]);
    }
    most = Math.max(most, model.waiting.length);
    while (model.running.size > 0) {
      model.end(pick([...model.running]));
      await quiet();
    }
    expect(model.failures).toEqual([]);
    expect([seed, model.waiting]).toEqual([seed, []]);
    evicted += model.evicted;
  }
  expect(most).toBeGreaterThan(10);
  expect(evicted).toBeGreaterThan(50);
});
