import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { seededRandomSource } from '../../../analysis/random/sources';
import { withSamples } from '../../../cli/io/task-order';
import { TaskTimes } from '../../../cli/io/task-times';

interface Task {
  readonly kind: string;
  readonly cost: number;
  /** In seconds. */
  readonly takes: number;
  /** In seconds, when each eighth of it was done; at equal times unless given. */
  readonly eighths?: readonly number[];
}

const ofTask = { costOf: ({ cost }: Task) => cost, kindOf: ({ kind }: Task) => kind };

/** What was shown, and the true time left, in seconds. */
interface Shown {
  readonly share: number;
  readonly text: string;
  readonly left: number;
}

/** How often the time is shown. */
const LOOKS = 400;

/** How much of a task is done after so many seconds. */
function shareAfter({ takes, eighths }: Task, seconds: number): number {
  if (eighths === undefined) return Math.min(1, seconds / takes);
  const done = eighths.filter((end) => end <= seconds).length;
  const [from, to] = [eighths[done - 1] ?? 0, eighths[done] ?? Infinity];
  return (done + (seconds - from) / (to - from)) / eighths.length;
}

/** Does tasks in order in threads. @param tellShares whether it is known how much of each is done */
function shownFor(tasks: readonly Task[], threads: number, tellShares = false): readonly Shown[] {
  let now = 0;
  const starts = new Map<Task, number>();
  const shareOf = (task: Task): number => shareAfter(task, Math.max(0, now - (starts.get(task) ?? Infinity)));
  const times = new TaskTimes(tasks, {
    ...{ threads, ...ofTask, now: () => 1000 * now },
    shareOf: tellShares ? shareOf : null,
  });
  const free = Array.from({ length: threads }, () => 0);
  const ends = tasks.map((task) => {
    const thread = free.indexOf(Math.min(...free));
    starts.set(task, free[thread] ?? 0);
    free[thread] = (free[thread] ?? 0) + task.takes;
    return { at: free[thread], task };
  });
  ends.sort((a, b) => a.at - b.at);
  const end = Math.max(...free);
  return Array.from({ length: LOOKS }, (_, look) => {
    const share = look / LOOKS;
    for (let [next] = ends; next !== undefined && next.at <= share * end; [next] = ends) {
      ends.shift();
      now = next.at;
      times.end(next.task);
    }
    now = share * end;
    return { share, text: times.left(), left: end - now };
  });
}

const secondsIn = (text: string): number => Number(/^, (\d+) s left$/.exec(text)?.[1]);

const many = (count: number, task: Task): readonly Task[] =>
  Array.from({ length: count }, () => ({ ...task }));

const random = (seed: string): RandomNumbers => new RandomNumbers(seededRandomSource(seed, 0));

/** With times around those of the tasks. */
function spread(tasks: readonly Task[], factor: (random: RandomNumbers) => number): readonly Task[] {
  const numbers = random('spread');
  return tasks.map((task) => ({ ...task, takes: task.takes * factor(numbers) }));
}

const plain: Task = { kind: 'plain', cost: 1, takes: 10 };
// Of the same stated cost, it takes nine times as long.
const slow: Task = { kind: 'slow', cost: 1, takes: 90 };

const shapes: Readonly<Record<string, readonly Task[]>> = {
  'tasks that are all alike': many(200, plain),
  'eight long tasks': many(8, slow),
  'a slow kind at the end, which states the same cost': [...many(200, plain), ...many(40, slow)],
  'a slow kind at the beginning': [...many(40, slow), ...many(200, plain)],
  'twelve kinds one after another, which state wrong costs': Array.from({ length: 12 }, (_, kind) =>
    many(16, { kind: String(kind), cost: 1 + (kind % 3), takes: 4 + ((kind * 5) % 12) ** 1.5 }),
  ).flat(),
  'cells of an experiment, of which each has one run without noise': Array.from({ length: 12 }, (_, cell) => [
    { kind: `${cell} truth`, cost: 1, takes: 3 + cell },
    ...many(6, { kind: `${cell} noisy`, cost: 1, takes: 5 + 2 * cell }),
  ]).flat(),
  'runs of cells in turn, while code becomes fast': Array.from({ length: 8 }, (_, round) =>
    Array.from({ length: 6 }, (__, cell) => ({
      ...{ kind: '', cost: 1, takes: (8 + cell) * (round === 0 && cell < 4 ? 1.5 : 1) },
    })),
  ).flat(),
  'costs that grow, as with the steps of a training': Array.from({ length: 100 }, (_, index) => ({
    ...{ kind: 'steps', cost: 1 + index / 10, takes: 4 + (4 * index) / 10 },
  })),
  'times that differ within a kind, as with ε': spread(
    many(300, plain),
    (numbers) => 0.5 + numbers.uniform(),
  ),
  'times of which few are long': spread(many(1000, plain), (numbers) => -Math.log(1 - numbers.uniform())),
  'a slow start, before code is fast': [
    ...many(8, { ...plain, takes: 40 }),
    ...many(8, { ...plain, takes: 20 }),
    ...many(200, plain),
  ],
  'a long task at the end, while others have nothing to do': [
    ...many(60, plain),
    ...many(2, slow),
    ...many(60, plain),
    { ...slow, cost: 3, takes: 270 },
  ],
};

/** What was shown from a quarter of the time on, and is wrong by more than a fifth. */
function wrongIn(shown: readonly Shown[]): readonly string[] {
  const all = shown[0]?.left ?? NaN;
  // A fiftieth of the whole time, or a second, is what nobody notices at the end. Half a second is rounded.
  const most = (left: number): number => Math.max(0.2 * left, 0.02 * all, 1) + 0.5;
  return (
    shown
      // Until something is done, nothing is known.
      .slice(shown.findIndex(({ text }) => text !== ''))
      .filter(({ share, text, left }) => share >= 0.25 && !(Math.abs(secondsIn(text) - left) <= most(left)))
      .map(({ share, text, left }) => `at ${share}: ${text}, but ${left}`)
  );
}

test.each(
  Object.entries(shapes).flatMap(([name, tasks]) => [1, 2, 4].map((threads) => ({ name, tasks, threads }))),
)(
  'from a quarter of the time on, it is told within a fifth: $name, $threads threads',
  ({ tasks, threads }) => {
    const inOrder = withSamples(tasks, () => false, ofTask.kindOf);
    expect(wrongIn(shownFor(inOrder, threads))).toEqual([]);
  },
);

/**
 * The runs of an experiment in two threads, of three cells, six times 1,600 users: when each eighth of the users was done, and the end. In seconds of
 * two processors: the machine did other work, too. At first, threads read the log and their code becomes fast.
 */
const recorded: readonly Task[] = [
  [1.8, 2.6, 3.4, 4.3, 4.8, 5.3, 6.2, 7.0, 7.9],
  [1.5, 2.5, 3.3, 3.9, 4.4, 5.0, 5.7, 6.4, 7.1],
  [1.1, 1.7, 2.0, 2.4, 2.8, 3.2, 3.9, 4.5, 5.1],
  [0.8, 1.2, 1.6, 2.0, 2.3, 2.7, 3.2, 3.6, 4.0],
  [0.3, 0.5, 0.8, 1.1, 1.3, 1.5, 1.8, 2.2, 2.5],
  [0.6, 1.0, 1.3, 1.8, 2.2, 2.8, 3.4, 3.8, 4.3],
  [0.8, 1.2, 1.5, 1.9, 2.2, 2.6, 2.9, 3.2, 3.6],
  [0.6, 1.0, 1.4, 1.7, 1.9, 2.3, 2.6, 3.0, 3.4],
  [0.4, 0.8, 1.1, 1.4, 1.8, 2.3, 2.9, 3.4, 3.8],
  [0.7, 1.5, 1.8, 2.2, 2.7, 3.2, 3.8, 4.3, 4.6],
  [0.4, 0.7, 1.0, 1.3, 1.6, 2.0, 2.3, 2.5, 2.7],
  [0.2, 0.4, 0.6, 0.9, 1.1, 1.3, 1.5, 1.7, 2.0],
  [0.4, 0.7, 0.9, 1.3, 1.7, 2.0, 2.4, 2.9, 3.1],
  [0.4, 0.6, 0.8, 1.2, 1.4, 1.7, 2.1, 2.4, 2.7],
  [0.3, 0.5, 0.7, 1.0, 1.4, 1.7, 2.0, 2.3, 2.5],
  [0.5, 0.9, 1.2, 1.5, 1.8, 2.0, 2.4, 2.7, 3.2],
  [0.3, 0.6, 0.9, 1.2, 1.5, 1.7, 2.2, 2.6, 2.8],
  [0.3, 0.8, 1.0, 1.3, 1.6, 1.9, 2.3, 2.7, 3.0],
  [0.3, 0.7, 1.0, 1.4, 1.8, 2.2, 2.8, 3.3, 3.5],
  [0.5, 0.9, 1.3, 1.7, 2.1, 2.5, 3.1, 3.4, 3.7],
  [0.3, 0.7, 1.0, 1.4, 1.7, 2.1, 2.4, 2.8, 3.2],
  [0.4, 0.8, 1.1, 1.4, 1.7, 2.3, 2.7, 3.0, 3.3],
  [0.4, 0.9, 1.2, 1.6, 1.8, 2.4, 2.9, 3.3, 3.6],
  [0.5, 0.9, 1.1, 1.3, 1.6, 1.7, 1.9, 2.0, 2.2],
].map((ends) => ({ ...plain, takes: ends.at(-1) ?? NaN, eighths: ends.slice(0, -1) }));

describe('where it is known how much of a task is done', () => {
  const quarter = (shown: readonly Shown[]): readonly Shown[] => shown.filter(({ share }) => share >= 0.25);

  test('the time of an experiment on a busy machine is told within a third, once its code is fast', () => {
    const shown = shownFor(recorded, 2, true).filter(({ text, left }) => text !== '' && left >= 3);
    for (const { text, left } of shown) expect(Math.abs(secondsIn(text) / left - 1)).toBeLessThan(1 / 3);
    expect(shown[0]?.share).toBeLessThan(0.3);
    // The runs that are done say less.
    const [first] = quarter(shownFor(recorded, 2));
    expect(secondsIn(first?.text ?? '') / (first?.left ?? NaN)).toBeGreaterThan(1.5);
  });

  const alike = ['tasks that are all alike', 'eight long tasks'];

  test.each(alike.flatMap((name) => [1, 2, 4].map((threads) => ({ name, threads }))))(
    'from a quarter of the time on, it is told within a fifth: $name, $threads threads',
    ({ name, threads }) => expect(wrongIn(shownFor(shapes[name] ?? [], threads, true))).toEqual([]),
  );

  test('it is told before a long task is done', () => {
    const shown = shownFor(many(4, { ...plain, takes: 1000 }), 2, true);
    const [first] = shown.filter(({ text }) => text !== '');
    expect(first?.share).toBeLessThan(0.03);
    expect(secondsIn(first?.text ?? '')).toBe(Math.round(first?.left ?? NaN));
  });

  test('the slow beginning is not what the rest is told by', () => {
    const cold = { ...plain, takes: 25 };
    const shown = shownFor([...many(2, cold), ...many(20, plain)], 2, true);
    for (const { text, left } of shown.filter(({ text: told }) => told !== ''))
      if (left > 2) expect(Math.abs(secondsIn(text) / left - 1)).toBeLessThan(0.2);
  });
});

test.each([1, 2, 4])('what the first task of each of %d threads takes more does not count', (threads) => {
  const kinds = Array.from({ length: 5 }, (_, cell) => ({ kind: String(cell), cost: 1, takes: 20 + cell }));
  const tasks = withSamples(
    kinds.flatMap((task) => many(20, task)),
    () => false,
    ofTask.kindOf,
  ).map((task, place) => (place < threads ? { ...task, takes: task.takes + 60 } : task));
  for (const { share, text, left } of shownFor(tasks, threads))
    if (share >= 0.25) expect(Math.abs(secondsIn(text) - left)).toBeLessThan(Math.max(0.05 * left, 25));
});

test('until a task of a kind is done, it counts as the others, or as long as it runs already', () => {
  const shown = shownFor([...many(2, plain), ...many(2, slow)], 1);
  const at = (seconds: number): number =>
    secondsIn(shown.find(({ left }) => left <= 200 - seconds)?.text ?? '');
  expect(at(10)).toBe(30);
  expect(at(20)).toBe(20);
  expect(at(80)).toBe(60);
});

test('it is exact where a kind takes what its costs say, also while one thread alone is left', () => {
  const tasks = [
    ...many(4, { kind: 'slow', cost: 20, takes: 20 }),
    ...many(1, { kind: 'slow', cost: 40, takes: 40 }),
  ];
  for (const { text, left } of shownFor(tasks, 2).slice(LOOKS / 4))
    expect(secondsIn(text)).toBe(Math.round(left));
});

test('short work tells no time', () => {
  expect(shownFor(many(9, { ...plain, takes: 1 }), 1).every(({ text }) => text === '')).toBe(true);
});

test('a pool may take a task before another', () => {
  let now = 0;
  const [first, second, third] = many(3, slow) as [Task, Task, Task];
  const times = new TaskTimes([first, second, third], { threads: 1, ...ofTask, now: () => 1000 * now });
  now = 90;
  times.end(second);
  expect(times.left()).toBe(', 180 s left');
  now = 180;
  times.end(first);
  expect(times.left()).toBe(', 90 s left');
});

test('two tasks of each kind come early, after those of the first result', () => {
  const tasks = [
    ...many(3, plain),
    ...many(3, { ...plain, kind: 'other' }),
    ...many(2, { ...plain, kind: 'few' }),
    ...many(3, slow),
  ];
  const kinds = (first: number): readonly string[] =>
    withSamples(tasks, (task) => tasks.indexOf(task) < first, ofTask.kindOf).map(({ kind }) => kind);
  const rest = ['few', 'few', 'slow'];
  const twice = [...['plain', 'other', 'slow'], ...['plain', 'other', 'slow']];
  expect(kinds(0)).toEqual([...twice, 'plain', 'other', ...rest]);
  expect(kinds(2)).toEqual(['plain', 'plain', 'other', 'slow', 'other', 'slow', 'plain', 'other', ...rest]);
});

test('tasks without a cost tell no time', () => {
  let now = 0;
  const tasks = [1, 2].map((): Task => ({ kind: 'same', cost: 0, takes: 0 }));
  const times = new TaskTimes(tasks, { threads: 1, ...ofTask, now: () => now });
  now = 20_000;
  for (const task of tasks.slice(0, 1)) times.end(task);
  expect(times.left()).toBe('');
});

test('a task that ends though it was not known leaves the others waiting', () => {
  let now = 0;
  const tasks = [1, 2, 3].map((cost): Task => ({ kind: 'same', cost, takes: cost }));
  const times = new TaskTimes(tasks, { threads: 1, ...ofTask, now: () => now });
  now = 20_000;
  times.end({ kind: 'same', cost: 1, takes: 1 });
  // The two of cost 2 and 3, and what was taken for the first one, all wait: 20 s for each unit.
  expect(times.left()).toBe(', 120 s left');
});
