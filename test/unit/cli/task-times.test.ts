import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { seededRandomSource } from '../../../analysis/random/sources';
import { withSamples } from '../../../cli/io/task-order';
import { TaskTimes } from '../../../cli/io/task-times';

interface Task {
  readonly kind: string;
  readonly cost: number;
  /** In seconds. */
  readonly takes: number;
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

/** Does tasks in order in threads. */
function shownFor(tasks: readonly Task[], threads: number): readonly Shown[] {
  let now = 0;
  const times = new TaskTimes(tasks, { threads, ...ofTask, now: () => 1000 * now });
  const free = Array.from({ length: threads }, () => 0);
  const ends = tasks.map((task) => {
    const thread = free.indexOf(Math.min(...free));
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

test.each(
  Object.entries(shapes).flatMap(([name, tasks]) => [1, 2, 4].map((threads) => ({ name, tasks, threads }))),
)(
  'from a quarter of the time on, it is told within a fifth: $name, $threads threads',
  ({ tasks, threads }) => {
    const shown = shownFor(
      withSamples(tasks, () => false, ofTask.kindOf),
      threads,
    );
    const all = shown[0]?.left ?? NaN;
    // A fiftieth of the whole time, or a second, is what nobody notices at the end.
    const most = (left: number): number => Math.max(0.2 * left, 0.02 * all, 1);
    const wrong = shown
      // Until a task is done, nothing is known.
      .slice(shown.findIndex(({ text }) => text !== ''))
      .filter(({ share, text, left }) => share >= 0.25 && !(Math.abs(secondsIn(text) - left) <= most(left)))
      .map(({ share, text, left }) => `at ${share}: ${text}, but ${left}`);
    expect(wrong).toEqual([]);
  },
);

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
    expect(secondsIn(text)).toBe(Math.ceil(left));
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
