import type { Json } from '../src/model/json';
import { chromiumLimits } from '../src/model/limits';
import { CreditCounter } from '../analysis/credits/credit-counts';
import { isPrivate, modelsBeside } from '../analysis/credits/models';
import { withSourceFields } from '../analysis/experiment/set-fields';
import { sourceLogRow } from '../analysis/simulation/source-log';
import { Tally } from '../analysis/simulation/tally';
import { simulateUser, type Simulation } from '../analysis/simulation/user';
import { compressor } from './compression';
import { memberOf } from './sharding';
import { parseLines, randomOfUser, withPlace } from './simulate-events';
import { answerFor, type PartContent } from './simulate-read';
import { simulateWorker } from './workers';

/** A thread that simulates one part of a log after another. */

const { shard, seed, withUsers, sourceEpsilon, channel, compression, sourcesCompression, ...rest } =
  simulateWorker.setup();
const simulation: Simulation = { ...rest, limits: chromiumLimits };
/** Private models are left out: their probabilities take long for many candidates. */
const rules = modelsBeside(simulation.settings.attribution).filter((model) => !isPrivate(model));
const randomOf = randomOfUser(seed);
const changed: ReadonlyMap<string, Json> = new Map(
  sourceEpsilon === null ? [] : [['event_level_epsilon', sourceEpsilon]],
);

const isInShard = memberOf(shard);

async function simulate(users: PartContent['users']): Promise<{
  readonly output: string;
  readonly sources: string;
  readonly tally: Tally;
  readonly credits: CreditCounter | null;
}> {
  const tally = new Tally();
  const credits = channel === null ? null : new CreditCounter(channel, rules);
  const lines: string[] = [];
  const sources: string[] = [];
  for (const user of users) {
    const events = parseLines(user, tally).map((event) =>
      withSourceFields(event, { navigation: changed, event: changed }),
    );
    const whose = withUsers ? { user: user.user } : {};
    const found = await simulateUser(events, simulation, randomOf(user.user), (outcome) => {
      if (sourcesCompression === null && credits === null) return;
      const source = sourceLogRow(outcome, simulation);
      credits?.observe(outcome, source);
      if (source !== null && sourcesCompression !== null)
        sources.push(`${JSON.stringify({ ...whose, ...source })}\n`);
    }).catch((error: unknown) => {
      throw withPlace(error, user);
    });
    tally.addAll(found.tally);
    credits?.endPerson(found.reports.map((report) => ({ ...report })));
    for (const report of found.reports) lines.push(`${JSON.stringify({ ...whose, ...report })}\n`);
  }
  return { output: lines.join(''), sources: sources.join(''), tally, credits };
}

const compressing = Promise.all([compressor(compression), compressor(sourcesCompression ?? 'none')]);

/** Users without lines write nothing: an empty part would still have a frame. */
const part = (text: string, compress: (bytes: Uint8Array) => Uint8Array): Uint8Array =>
  text === '' ? new Uint8Array() : compress(new TextEncoder().encode(text));

export default simulateWorker.answer((task) =>
  answerFor(task, isInShard, async ({ users, read }) => {
    const [compress, compressSources] = await compressing;
    const { output, sources, tally, credits } = await simulate(users);
    return {
      kind: 'done',
      read,
      bytes: part(output, compress),
      sources: part(sources, compressSources),
      tally: tally.entries(),
      credits: credits?.counts() ?? null,
    } as const;
  }),
);
