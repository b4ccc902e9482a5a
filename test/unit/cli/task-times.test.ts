import { TaskTimes } from '../../../cli/io/task-times';

interface Task {
  readonly kind: string;
  readonly cost: number;
  /** In seconds. */
  readonly takes: number;
}

/** Does tasks in order in threads, and notes the remaining time that is shown at each end of a task, beside the true one. */
function shownAt(tasks: readonly Task[], threads: number): (readonly [shown: string, left: number])[] {
  let now = 0;
  const times = new TaskTimes(tasks, {
    threads,
    costOf: ({ cost }) => cost,
    kindOf: ({ kind }) => kind,
    now: () => 1000 * now,
  });
  for (const task of tasks) times.queue(task);
  const ends: { readonly at: number; readonly task: Task }[] = [];
  const free = Array.from({ length: threads }, () => 0);
  for (const task of tasks) {
    const thread = free.indexOf(Math.min(...free));
    free[thread] = (free[thread] ?? 0) + task.takes;
    ends.push({ at: free[thread], task });
  }
  ends.sort((a, b) => a.at - b.at);
  const end = Math.max(...free);
  return ends.map(({ at, task }) => {
    now = at;
    times.end(task);
    return [times.left(), end - at];
  });
}

const many = (count: number, task: Task): readonly Task[] =>
  Array.from({ length: count }, () => ({ ...task }));

// Of the same stated cost, one kind takes nine times as long as the other.
const plain: Task = { kind: 'plain', cost: 1, takes: 1 };
const slow: Task = { kind: 'slow', cost: 1, takes: 9 };

test.each([1, 2])('with %d threads, the time left is exact once each kind was done', (threads) => {
  const tasks = [...many(threads, plain), ...many(threads, slow), ...many(20, plain), ...many(10, slow)];
  const shown = shownAt(tasks, threads);
  for (const [text, left] of shown.slice(2 * threads)) expect(text).toBe(`, ${left} s left`);
});

test('until then, the other kind counts as those that were done', () => {
  const [first] = shownAt([...many(2, plain), ...many(16, slow)], 1);
  expect(first).toEqual([', 17 s left', 1 + 16 * 9]);
});

test('cost says how much longer a task of the same kind takes', () => {
  const shown = shownAt([...many(5, plain), ...many(5, { kind: 'plain', cost: 4, takes: 4 })], 1);
  expect(shown.map(([text]) => text)).toEqual(shown.map(([, left]) => `, ${left} s left`));
});

test('the end waits for the longest task, and short work tells no time', () => {
  const tasks = [
    ...many(4, { kind: 'slow', cost: 20, takes: 20 }),
    ...many(1, { kind: 'slow', cost: 40, takes: 40 }),
  ];
  expect(shownAt(tasks, 2).at(-2)).toEqual([', 40 s left', 40]);
  expect(shownAt(many(9, plain), 1).every(([text]) => text === '')).toBe(true);
});
