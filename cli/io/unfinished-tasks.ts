import type { Piscina } from 'piscina';
import type { Journal } from './journal';
import { showProgress } from './progress';
import { TaskTimes } from './task-times';
import { withSamples } from './task-order';

/** For each thread, one that it does and one that it takes next. The pool does more in no order. */
const AT_ONCE = 2;

/** Work that threads share, and whose results are stored as they arrive. */
interface Tasks<Task, Result> {
  readonly pool: Piscina<Task, Result>;
  readonly tasks: readonly Task[];
  /** The name of the tasks: "trainings". */
  readonly name: string;
  readonly finished: Map<number, Result>;
  readonly journal: Journal<Result>;
  /** Converts a failure of a task into the error to throw. */
  readonly failure: (task: Task, error: unknown) => unknown;
  /** Whether a task is done here; all are unless given. */
  readonly isOwn?: (task: Task) => boolean;
  /** Tasks with the same text have the same result, so one of them is done. */
  readonly sameAs?: (task: Task) => string;
  /** How much there is to do, in any unit; as much as in the others unless given. */
  readonly costOf?: (task: Task) => number;
  /** Tasks with the same text take the same time for a unit; all do unless given. */
  readonly kindOf?: (task: Task) => string;
  /** How much of a task that runs is done, from 0 to 1; unknown unless given. */
  readonly shareOf?: ((task: Task) => number) | null;
  /** Whether it is done before some of each kind are tried for the remaining time, so that its result is shown soon; none is unless given. */
  readonly isFirst?: (task: Task) => boolean;
  /** Tasks with a lower number are done before the others; all have the same unless given. */
  readonly roundOf?: (task: Task) => number;
  /** Is called before the first task and after each. */
  readonly onFinished?: (finished: ReadonlyMap<number, Result>) => void;
}

/** Tasks of which one is done for all. */
interface Group<Task> {
  readonly task: Task;
  readonly indices: readonly number[];
}

/**
 * Does the unfinished tasks, and adds their results to `finished` and the journal.
 * @returns all finished results, in the order of the tasks.
 */
export async function finishTasks<Task, Result>({
  pool,
  tasks,
  name,
  finished,
  journal,
  failure,
  isOwn = () => true,
  sameAs,
  costOf = () => 1,
  kindOf = () => '',
  shareOf = null,
  isFirst = () => false,
  roundOf = () => 0,
  onFinished = () => undefined,
}: Tasks<Task, Result>): Promise<readonly Result[]> {
  const open = [...tasks.entries()].filter(([index, task]) => !finished.has(index) && isOwn(task));
  const total = finished.size + open.length;
  const { maxThreads } = pool.options;
  const groups = withSamples(
    [...groupsOf(open, sameAs)].sort((a, b) => roundOf(a.task) - roundOf(b.task)),
    ({ task }) => isFirst(task),
    ({ task }) => kindOf(task),
  );
  const times = new TaskTimes<Task>(
    groups.map(({ task }) => task),
    { threads: maxThreads, costOf, kindOf, shareOf },
  );
  const stopShowing = showProgress(() => `${finished.size} of ${total} ${name}${times.left()}`);
  try {
    onFinished(finished);
    const waiting = groups.values();
    const work = async (): Promise<void> => {
      for (const { task, indices } of waiting) {
        const result = await pool.run(task).catch((error: unknown) => {
          throw failure(task, error);
        });
        times.end(task);
        for (const index of indices) {
          finished.set(index, result);
          journal.add(index, result);
        }
        onFinished(finished);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE * maxThreads }, work));
  } finally {
    stopShowing();
  }
  return tasks.flatMap((_, index) => finished.get(index) ?? []);
}

function groupsOf<Task>(
  tasks: readonly (readonly [index: number, task: Task])[],
  sameAs: ((task: Task) => string) | undefined,
): readonly Group<Task>[] {
  const groups = new Map<string, { readonly task: Task; readonly indices: number[] }>();
  for (const [index, task] of tasks) {
    const name = sameAs?.(task) ?? String(index);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, { task, indices: [index] });
    else known.indices.push(index);
  }
  return [...groups.values()];
}
