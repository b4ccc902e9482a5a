import type { Piscina } from 'piscina';
import type { Journal } from './journal';
import { showProgress, timeLeft } from './progress';

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
}

/**
 * Does the unfinished tasks, and adds their results to `finished` and the journal.
 * @returns all results, in the order of the tasks.
 */
export async function finishTasks<Task, Result>({
  pool,
  tasks,
  name,
  finished,
  journal,
  failure,
}: Tasks<Task, Result>): Promise<readonly Result[]> {
  const left = timeLeft(() => finished.size / tasks.length);
  const stopShowing = showProgress(() => `${finished.size} of ${tasks.length} ${name}${left()}`);
  try {
    await Promise.all(
      tasks.map(async (task, index) => {
        if (finished.has(index)) return;
        const result = await pool.run(task).catch((error: unknown) => {
          throw failure(task, error);
        });
        finished.set(index, result);
        journal.add(index, result);
      }),
    );
  } finally {
    stopShowing();
  }
  // All are finished.
  return tasks.flatMap((_, index) => finished.get(index) ?? []);
}
