import { startCollectorProcess } from '../unit/helpers/collector-process';
import { describeCrashes } from '../unit/helpers/collector-stores';
import { besieged, sendHonest } from '../unit/helpers/hostile-load';
import { idsAt } from '../unit/helpers/collector-load';

jest.setTimeout(900_000);

const CLIENTS = 16;
const HONEST = 2000;
/** By which factor they may delay the slowest hundredth of honest reports. */
const MOST = 3;

describeCrashes((stores) => {
  test('16 hostile clients and an open dashboard delay honest reports by less than three times, and lose none', async () => {
    const collector = await startCollectorProcess(await stores().fresh());
    // A collector that stayed open after a failure would hide which expectation failed.
    try {
      const { origin } = collector;
      const quiet = await sendHonest(origin, HONEST);
      const loud = await besieged(origin, CLIENTS, () => sendHonest(origin, HONEST));
      process.stderr.write(
        `${stores().areOnServer ? 'PostgreSQL' : 'PGlite'}: p99 ${quiet.p99.toFixed(1)} ms alone, ${loud.p99.toFixed(1)} ms besieged\n`,
      );
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
