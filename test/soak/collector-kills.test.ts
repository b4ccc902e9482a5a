import { killUnderLoad, Load, idsAt } from '../unit/helpers/collector-load';
import { startCollectorProcess } from '../unit/helpers/collector-process';
import { describeCrashes } from '../unit/helpers/collector-stores';

jest.setTimeout(1_800_000);

const KILLS = { folder: 20, server: 10 };
const RESTARTS = 5;

describeCrashes((stores) => {
  test('a collector that is killed under load, again and again, loses and doubles no report', async () => {
    const { cluster } = stores();
    const kills = cluster === null ? KILLS.folder : KILLS.server;
    const { acknowledged, unanswered } = await killUnderLoad(await stores().fresh(), kills, 400);
    process.stderr.write(
      `${cluster === null ? 'PGlite' : 'PostgreSQL'}: ${kills} kills, ${acknowledged.length} acknowledged, ` +
        `${unanswered.length} without an answer, 0 lost, 0 doubled\n`,
    );
  });

  test('a database server that crashes under load loses no report that was acknowledged', async () => {
    const { cluster } = stores();
    if (cluster === null) return; // its database is a thread of the collector
    const collector = await startCollectorProcess(await stores().fresh());
    const load = new Load();
    for (let restart = 1; restart <= RESTARTS; restart++) {
      load.start([collector.origin]);
      await load.reached(restart * 400);
      await cluster.crash();
      await load.ended();
      await cluster.start();
    }
    const kept = await idsAt(collector.origin);
    expect(new Set(kept).size).toBe(kept.length);
    expect(load.acknowledged.filter(({ report_id: id }) => !kept.includes(id))).toEqual([]);
    process.stderr.write(
      `PostgreSQL: crashed ${RESTARTS} times, ${load.acknowledged.length} acknowledged, 0 lost\n`,
    );
    await collector.end('SIGTERM');
  });
});
