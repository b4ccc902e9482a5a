import path from 'node:path';
import { median } from '../../bench/measure';
import { startCollectorProcess } from '../unit/helpers/collector-process';
import { describeCrashes } from '../unit/helpers/collector-stores';
import { besieged, sendHonest } from '../unit/helpers/hostile-load';
import { idsAt } from '../unit/helpers/collector-load';

jest.setTimeout(1_800_000);

const CLIENTS = 16;
const HONEST = 700;
/** The servers take turns, so that what else the machine does changes all of them alike. An odd number, for the median. */
const ROUNDS = 3;
/** By which factor they may delay the slowest hundredth of honest reports. */
const MOST = 3;
const bareServer = path.resolve(__dirname, 'helpers/bare-server.mjs');

interface Server {
  readonly name: string;
  readonly origin: string;
  end(signal: NodeJS.Signals): Promise<unknown>;
}

/** Honest reports alone, and then beside the hostile clients. @returns the factor, and which were acknowledged */
async function sendTwice({
  name,
  origin,
}: Server): Promise<{ readonly factor: number; readonly acknowledged: readonly string[] }> {
  const quiet = await sendHonest(origin, HONEST);
  const loud = await besieged(origin, CLIENTS, () => sendHonest(origin, HONEST));
  const factor = loud.p99 / quiet.p99;
  process.stderr.write(
    `${name}: p99 ${quiet.p99.toFixed(1)} ms alone, ${loud.p99.toFixed(1)} ms besieged: ${factor.toFixed(1)} times\n`,
  );
  return { factor, acknowledged: [...quiet.acknowledged, ...loud.acknowledged] };
}

describeCrashes((stores) => {
  /** The collector, and beside it what the same clients do to servers that do less: one without a store, and one that only inserts. */
  async function startServers(): Promise<readonly Server[]> {
    const named = async (name: string, store: string, command?: string): Promise<Server> => ({
      name,
      ...(await startCollectorProcess(store, undefined, command)),
    });
    const { areOnServer } = stores();
    const collector = await named(areOnServer ? 'PostgreSQL' : 'PGlite', await stores().fresh());
    const bare = await named('a server without a store', 'none', bareServer);
    if (!areOnServer) return [collector, bare];
    return [collector, bare, await named('a server that inserts', await stores().fresh(), bareServer)];
  }

  test('16 hostile clients and an open dashboard delay honest reports by less than three times, or than a bare server’s, and lose none', async () => {
    const servers = await startServers();
    // A collector that stayed open after a failure would hide which expectation failed.
    try {
      const [collector] = servers;
      const sent: string[] = [];
      const factors = servers.map((): number[] => []);
      for (let round = 0; round < ROUNDS; round++)
        for (const [index, server] of servers.entries()) {
          const { factor, acknowledged } = await sendTwice(server);
          factors[index]?.push(factor);
          if (server === collector) sent.push(...acknowledged);
        }
      const [found = NaN, ...bare] = factors.map(median);
      process.stderr.write(
        `${collector?.name}: ${found.toFixed(1)} times, bare servers ${bare.map((one) => one.toFixed(1)).join(' and ')} times\n`,
      );
      const origin = collector?.origin ?? '';
      const kept = new Set(await idsAt(origin));
      expect(sent).toHaveLength(2 * HONEST * ROUNDS);
      expect(sent.filter((id) => !kept.has(id))).toEqual([]);
      expect(found).toBeLessThan(Math.max(MOST, ...bare));
      expect((await fetch(`${origin}/statistics`)).status).toBe(200);
    } finally {
      await Promise.all(servers.map((server) => server.end('SIGTERM')));
    }
  });
});
