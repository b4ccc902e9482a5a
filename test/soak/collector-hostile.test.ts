import path from 'node:path';
import { startCollectorProcess } from '../unit/helpers/collector-process';
import { describeCrashes } from '../unit/helpers/collector-stores';
import { besieged, sendHonest, type Sent } from '../unit/helpers/hostile-load';
import { idsAt } from '../unit/helpers/collector-load';

jest.setTimeout(1_800_000);

const CLIENTS = 16;
const HONEST = 2000;
/** By which factor they may delay the slowest hundredth of honest reports. */
const MOST = 3;
const bareServer = path.resolve(__dirname, 'helpers/bare-server.mjs');

interface Sendings {
  readonly quiet: Sent;
  readonly loud: Sent;
}

/** Honest reports alone, and then beside the hostile clients. */
async function sendTwice(origin: string): Promise<Sendings> {
  const quiet = await sendHonest(origin, HONEST);
  return { quiet, loud: await besieged(origin, CLIENTS, () => sendHonest(origin, HONEST)) };
}

const say = (server: string, { quiet, loud }: Sendings): void =>
  void process.stderr.write(
    `${server}: p99 ${quiet.p99.toFixed(1)} ms alone, ${loud.p99.toFixed(1)} ms besieged\n`,
  );

describeCrashes((stores) => {
  /** How a server that inserts each report by itself fares beside the same clients on this machine. Folders have no such server. */
  async function besiegeBareServer(): Promise<void> {
    const server = await startCollectorProcess(await stores().fresh(), [], bareServer);
    try {
      say('a bare server of PostgreSQL', await sendTwice(server.origin));
    } finally {
      await server.end('SIGTERM');
    }
  }

  test('16 hostile clients and an open dashboard delay honest reports by less than three times, and lose none', async () => {
    const collector = await startCollectorProcess(await stores().fresh());
    // A collector that stayed open after a failure would hide which expectation failed.
    try {
      const { origin } = collector;
      const { quiet, loud } = await sendTwice(origin);
      say(stores().areOnServer ? 'PostgreSQL' : 'PGlite', { quiet, loud });
      if (stores().areOnServer) await besiegeBareServer();
      const kept = new Set(await idsAt(origin));
      const sent = [...quiet.acknowledged, ...loud.acknowledged];
      expect(sent).toHaveLength(2 * HONEST);
      expect(sent.filter((id) => !kept.has(id))).toEqual([]);
      expect(loud.p99).toBeLessThan(MOST * quiet.p99);
      expect((await fetch(`${origin}/statistics`)).status).toBe(200);
    } finally {
      await collector.end('SIGTERM');
    }
  });
});
