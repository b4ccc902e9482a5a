import type { Json } from '../../src/model/json';
import { chromiumLimits } from '../../src/model/limits';
import { Caches } from '../../src/work';
import type { CreditCounter } from '../../analysis/credits/credit-counts';
import type { SourceFields } from '../../analysis/experiment/grid';
import { withSourceFields } from '../../analysis/experiment/set-fields';
import { sourceLogRow } from '../../analysis/simulation/source-log';
import type { ReplayOutcome } from '../../analysis/scenario/replay';
import { OutcomeCounter } from '../../analysis/simulation/outcome-counter';
import { simulateUser, type Simulation } from '../../analysis/simulation/user';
import { compressor, type Compressor } from '../io/compression';
import { jsonBytes } from '../io/json-bytes';
import { sealWithOpenSsl } from '../../node/sealing';
import { eventsOf, randomOfUser, withPlace, type PlacedEvent } from './events';
import type { Answer, PartTask, PoolSetup, SimulatedPart } from './parts';
import { answerFor, type PartContent } from './read';
import { memberOf } from './sharding';
import type { UserLines } from './lines';

/** Answers one task after another. */
export function answersOf(setup: PoolSetup): (task: PartTask) => Promise<Answer<SimulatedPart>> {
  const isInShard = memberOf(setup.shard);
  const simulator = PartSimulator.with(setup);
  return (task) => answerFor(task, isInShard, async (content) => (await simulator).simulate(content));
}

/** Simulates one part of a log after another. */
export class PartSimulator {
  private readonly simulation: Simulation;
  private readonly randomOf: ReturnType<typeof randomOfUser>;
  /** Fields that all sources register. */
  private readonly changed: SourceFields;

  private constructor(
    private readonly setup: PoolSetup,
    private readonly compress: Compressor,
    private readonly compressSources: Compressor,
  ) {
    const { aggregationKeys: keys } = setup;
    const sealing = keys === null ? {} : { sealing: { keys, seal: sealWithOpenSsl } };
    this.simulation = { ...setup, ...sealing, limits: chromiumLimits, caches: new Caches() };
    this.randomOf = randomOfUser(setup.seed);
    const fields = new Map<string, Json>(
      setup.sourceEpsilon === null ? [] : [['event_level_epsilon', setup.sourceEpsilon]],
    );
    this.changed = { navigation: fields, event: fields };
  }

  static async with(setup: PoolSetup): Promise<PartSimulator> {
    return new PartSimulator(
      setup,
      await compressor(setup.compression),
      await compressor(setup.sourcesCompression ?? 'none'),
    );
  }

  /** @throws InputError for a line that is not an event, or is out of place. */
  async simulate({ users, read }: PartContent): Promise<SimulatedPart> {
    const tally = new OutcomeCounter();
    const credits = await creditCounter(this.setup);
    const [lines, sources]: [string[], string[]] = [[], []];
    for await (const user of users) await this.simulateUser(user, { tally, credits, lines, sources });
    return {
      kind: 'done',
      read: read(),
      bytes: bytesOf(lines, this.compress),
      sources: bytesOf(sources, this.compressSources),
      tally: tally.entries(),
      credits: credits?.counts() ?? null,
    };
  }

  private async simulateUser(
    user: UserLines<PlacedEvent>,
    into: {
      readonly tally: OutcomeCounter;
      readonly credits: CreditCounter | null;
      readonly lines: string[];
      readonly sources: string[];
    },
  ): Promise<void> {
    const { setup, simulation, changed } = this;
    const { tally, credits } = into;
    const events = eventsOf(user, tally).map((event) => withSourceFields(event, changed));
    const whose = setup.withUsers ? { user: user.user } : {};
    const observe = (outcome: ReplayOutcome): void => {
      const source = sourceLogRow(outcome, simulation);
      credits?.observe(outcome, source);
      if (source !== null && setup.sourcesCompression !== null)
        into.sources.push(`${JSON.stringify({ ...whose, ...source })}\n`);
    };
    const isObserved = setup.sourcesCompression !== null || credits !== null;
    const found = await simulateUser(
      events,
      simulation,
      this.randomOf(user.user),
      isObserved ? observe : undefined,
    ).catch((error: unknown) => {
      throw withPlace(error, user);
    });
    tally.addAll(found.tally);
    credits?.endPerson(found.reports.map((report) => ({ ...report })));
    for (const report of found.reports) into.lines.push(`${JSON.stringify({ ...whose, ...report })}\n`);
  }
}

/** What it needs is loaded only where credits are counted. */
async function creditCounter({ channel, settings }: PoolSetup): Promise<CreditCounter | null> {
  if (channel === null) return null;
  const [{ CreditCounter }, { isPrivate, modelsBeside }] = await Promise.all([
    import('../../analysis/credits/credit-counts'),
    import('../../analysis/credits/models'),
  ]);
  // Private models are left out: their probabilities take long for many candidates.
  const rules = modelsBeside(settings.attribution).filter((model) => !isPrivate(model));
  return new CreditCounter(channel, rules);
}

/** Users without lines write nothing: an empty part would still have a frame. */
const bytesOf = (lines: readonly string[], compress: Compressor): Uint8Array =>
  lines.length === 0 ? new Uint8Array() : compress(jsonBytes(lines.join('')));
