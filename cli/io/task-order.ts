import { groupBy } from '../../analysis/estimate/unbiased/tally';

/**
 * Tasks in their order, except that one of each kind comes early: what a kind takes is known when one of its tasks is done.
 * @param isFirst the tasks before which none comes: those of a result that is shown soon
 * @param kindOf tasks of a kind take the same time for a unit
 */
export function withSamples<Task>(
  tasks: readonly Task[],
  isFirst: (task: Task) => boolean,
  kindOf: (task: Task) => string,
): readonly Task[] {
  const first = tasks.filter(isFirst);
  const others = tasks.filter((task) => !isFirst(task));
  const known = new Set(first.map(kindOf));
  // The only task of a kind would say nothing about others.
  const samples = new Set(
    [...groupBy(others, kindOf)].flatMap(([kind, some]) =>
      some.length > 1 && !known.has(kind) ? some.slice(0, 1) : [],
    ),
  );
  return [...first, ...samples, ...others.filter((task) => !samples.has(task))];
}
