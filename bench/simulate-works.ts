import { readFileSync } from 'node:fs';
import { scenarioRegistration } from '../analysis/scenario/scenario-registration';
import { replaySettings } from '../analysis/scenario/scenario';
import { PartSimulator } from '../cli/simulate/part';
import { randomOfUser } from '../cli/simulate/events';
import { readPart } from '../cli/simulate/read';
import { wholeLog } from '../cli/simulate/sharding';
import { decideRegistration, parseRegistration } from '../src/attribution/register';
import { chromiumLimits } from '../src/model/limits';
import type { Draft } from '../src/store/draft';
import { unread } from '../src/trace';
import { Caches } from '../src/work';
import { conditionsWith } from './conditions';
import { parsed, parsePart, type Parts } from './parsed-log';

/* What the processes of `simulate-worker` do with the parts of a log. */

/** Prepares the work. Only what the result does is measured. @param reports a file with the reports of this log, if there is one */
type Work = (parts: Parts, reports: string) => Promise<() => Promise<void> | void> | (() => void);

const SEED = '1';

export const works = {
  parse: (parts) => () => {
    for (const part of parts) parsePart(part);
  },
  simulate: async (parts) => {
    const simulator = await makeSimulator();
    return async () => {
      for (const ranges of parts) await simulator.simulate(readPart({ kind: 'ranges', ranges }, () => true));
    };
  },
  /** As much as `simulate` reads and writes, with nothing decided. */
  write: (parts, file) => {
    const reports = readFileSync(file, 'utf8').split('\n').filter(Boolean).map(parsed);
    const share = Math.ceil(reports.length / parts.length);
    const encoder = new TextEncoder();
    return () => {
      for (const [index, part] of parts.entries()) {
        parsePart(part);
        const lines = reports.slice(index * share, (index + 1) * share).map((each) => JSON.stringify(each));
        encoder.encode(lines.join('\n'));
      }
    };
  },
  /** The engine with a store that keeps nothing. */
  decide: (parts) => async () => {
    const conditions = conditionsWith('on');
    const randomOf = randomOfUser(SEED);
    const caches = new Caches();
    for (const ranges of parts)
      for await (const { user, lines } of readPart({ kind: 'ranges', ranges }, () => true).users) {
        const random = randomOf(user);
        const draft = new KeepsNothing();
        for (const { event } of lines)
          for (const response of event.kind === 'request' ? event.responses : []) {
            const found = event.kind === 'request' ? scenarioRegistration(event, response) : null;
            if (found?.kind !== 'register') continue;
            const parsed = parseRegistration(found.registration, chromiumLimits, caches);
            decideRegistration(
              { draft, limits: chromiumLimits, random, trace: unread, caches },
              parsed,
              found.registration,
              conditions,
            );
          }
      }
  },
} satisfies Record<string, Work>;

export async function simulatedReports(parts: Parts): Promise<Buffer> {
  const simulator = await makeSimulator();
  const found: Uint8Array[] = [];
  for (const ranges of parts) {
    const { bytes } = await simulator.simulate(readPart({ kind: 'ranges', ranges }, () => true));
    found.push(bytes);
  }
  return Buffer.concat(found);
}

const makeSimulator = (): Promise<PartSimulator> =>
  PartSimulator.with({
    shard: wholeLog,
    settings: replaySettings,
    noise: true,
    allocation: 'per-cap',
    matching: null,
    seed: SEED,
    withUsers: false,
    aggregationKeys: null,
    sourceEpsilon: null,
    channel: null,
    compression: 'none',
    sourcesCompression: null,
  });

/** Finds nothing, and forgets what it is given. */
class KeepsNothing implements Draft {
  private lastId = 0;

  readonly get = (): undefined => undefined;
  readonly candidates = (): readonly [] => [];
  readonly upTo = (): readonly [] => [];
  readonly require = (): void => undefined;
  readonly put = (): void => undefined;
  readonly delete = (): void => undefined;
  readonly nextId = (): number => ++this.lastId;
}
