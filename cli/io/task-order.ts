import { groupBy } from '../../analysis/estimate/unbiased/tally';

/** Of each kind: the first one is slow, because its code was never run before. */
const SAMPLES = 2;

/**
 * Tasks in their order, except that some of each kind come early: what a kind takes is known when they are done.
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
  // A kind of few tasks would say nothing about others.
  const kinds = [...groupBy(others, kindOf)].filter(
    ([kind, some]) => some.length > SAMPLES && !known.has(kind),
  );
  const samples = new Set(
    Array.from({ length: SAMPLES }, (_, round) =>
      kinds.flatMap(([, some]) => some.slice(round, round + 1)),
    ).flat(),
  );
  return [...first, ...samples, ...others.filter((task) => !samples.has(task))];
}
