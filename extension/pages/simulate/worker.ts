import { bufferedRandomSource } from '../../../analysis/random/sources';
import { campaigns } from './campaigns';
import { parallelWorlds } from './parallel-worlds';
import { RUNS, type Task, type RunMessage } from './task';

/** More runs than this are not told at once, so that a page can show how far it is. */
const BATCH = 20;

const random = bufferedRandomSource((words) => void crypto.getRandomValues(words));

const tell = (message: RunMessage): void => postMessage(message);

async function run(task: Task): Promise<void> {
  const { truth, next, own } =
    task.kind === 'worlds'
      ? await parallelWorlds(task.scenario, random)
      : { ...campaigns(task.draft, task.campaign, random), own: null };
  for (let done = 0; done < RUNS; done += BATCH) {
    const values: number[] = [];
    while (values.length < BATCH) values.push(await next());
    tell({ kind: 'runs', values, truth, own });
  }
}

addEventListener('message', ({ data }: MessageEvent<Task>) => {
  run(data).catch((error: unknown) =>
    tell({ kind: 'problem', problem: error instanceof Error ? error.message : String(error) }),
  );
});
