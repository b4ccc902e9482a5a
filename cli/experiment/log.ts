import { createHash } from 'node:crypto';
import path from 'node:path';
import type { ExperimentData } from '../../analysis/experiment/experiment';
import { parseCsvMapping } from '../../analysis/simulation/csv-mapping';
import { madeUpUser } from '../../analysis/simulation/made-up-user';
import { accept, readJson } from '../io/input';
import { InputFiles } from '../io/input-files';
import { openOutput } from '../io/output';
import { readingProgress, showProgress, timeLeft } from '../io/progress';
import { memberOf, wholeLog } from '../simulate/sharding';
import { eventLines, mappedLines, Progress } from '../simulate/lines';
import { sortedWith } from '../simulate/sort';
import { batchesOf, inOrderOfTime, usersOf, type Batch } from '../simulate/users';

/** A cell is tried with this many users: enough to see whether it works, and how long an event takes. */
export const TRIED_USERS = 30;

/** A log that all runs read: one event per line, by user and time. */
export interface PreparedLog {
  readonly file: string;
  readonly users: number;
  readonly events: number;
  /** The users with whom cells are tried. */
  readonly triedEvents: number;
  /** SHA-256 of its lines. */
  readonly hash: string;
}

/**
 * Writes the data of an experiment as a log.
 * @param folder the experiment's folder, from which the paths of its data begin.
 * @throws InputError
 */
export async function prepareLog(
  data: ExperimentData,
  seed: string,
  folder: string,
  output: string,
): Promise<PreparedLog> {
  const progress = new Progress();
  const hash = createHash('sha256');
  const file = openOutput(output, { audience: 'owner' });
  let [events, tried, triedEvents] = [0, 0, 0];
  const input = 'users' in data ? null : new InputFiles(data.input.map((name) => path.resolve(folder, name)));
  const state =
    'users' in data
      ? madeUpState(progress, data.users)
      : readingProgress(input === null ? [] : [input], progress);
  const stopShowing = showProgress(() => `data: ${events} events${state()}`);
  try {
    const batches =
      'users' in data
        ? madeUpBatches(seed, data, progress)
        : batchesIn(input ?? new InputFiles([]), mapFile(data.map, folder), progress);
    for await (const batch of batches) {
      const lines = batch.flatMap((user) => user.lines.map(({ text }) => `${text}\n`));
      const bytes = Buffer.from(lines.join(''));
      hash.update(bytes);
      events += lines.length;
      for (const user of batch.slice(0, TRIED_USERS - tried)) triedEvents += user.lines.length;
      tried = Math.min(TRIED_USERS, tried + batch.length);
      await file.append(bytes);
    }
    await file.finish();
  } finally {
    stopShowing();
    await file.close();
  }
  return { file: output, users: progress.users, events, triedEvents, hash: hash.digest('hex') };
}

/** How many of the users are made up, and the remaining time. */
function madeUpState(progress: Progress, users: number): () => string {
  const left = timeLeft(() => progress.users / users);
  return () => ` of ${progress.users} of ${users} users${left()}`;
}

const mapFile = (map: string | null, folder: string): string | null =>
  map === null ? null : path.resolve(folder, map);

function batchesIn(input: InputFiles, map: string | null, progress: Progress): AsyncIterable<Batch> {
  const everyone = memberOf(wholeLog);
  if (map === null)
    return batchesOf(usersOf(sortedWith(progress, eventLines(input, progress, everyone)), true), progress);
  const mapping = accept(map, parseCsvMapping(readJson(map)));
  const lines = mappedLines(
    input,
    { file: map, mapping, csv: false, skipInvalid: false },
    progress,
    everyone,
  );
  return batchesOf(inOrderOfTime(usersOf(sortedWith(progress, lines), true)), progress);
}

// oxlint-disable-next-line typescript/require-await -- what is read from files comes as a stream
async function* madeUpBatches(
  seed: string,
  { users, ...log }: Extract<ExperimentData, { users: number }>,
  progress: Progress,
): AsyncGenerator<Batch> {
  for (let number = 0; number < users; number++) {
    progress.users += 1;
    const lines = madeUpUser(seed, number, log).map((event, sequence) => ({
      user: '',
      time: 0,
      place: '',
      sequence,
      once: null,
      text: JSON.stringify(event),
    }));
    yield [{ user: '', lines }];
  }
}
