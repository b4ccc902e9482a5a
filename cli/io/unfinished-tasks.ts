import type { Piscina } from 'piscina';
import type { Journal } from './journal';
import { showProgress, timeLeft } from './progress';

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
  /** Is called before the first task and after each. */
  readonly onFinished?: (finished: ReadonlyMap<number, Result>) => void;
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
  onFinished = () => undefined,
}: Tasks<Task, Result>): Promise<readonly Result[]> {
  const open = [...tasks.entries()].filter(([index, task]) => !finished.has(index) && isOwn(task));
  const total = finished.size + open.length;
  const left = timeLeft(() => finished.size / total);
  const stopShowing = showProgress(() => `${finished.size} of ${total} ${name}${left()}`);
  try {
    onFinished(finished);
    const waiting = open.values();
    const work = async (): Promise<void> => {
      for (const [index, task] of waiting) {
        const result = await pool.run(task).catch((error: unknown) => {
          throw failure(task, error);
        });
        finished.set(index, result);
        journal.add(index, result);
        onFinished(finished);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE * pool.options.maxThreads }, work));
  } finally {
    stopShowing();
  }
  return tasks.flatMap((_, index) => finished.get(index) ?? []);
}
