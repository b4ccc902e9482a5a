import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killUnderLoad, Load, idsAt } from '../unit/helpers/collector-load';
import { startCollectorProcess } from '../unit/helpers/collector-process';
import { describeCrashes, serverOf } from '../unit/helpers/collector-stores';
import { TokenTrial } from '../unit/helpers/tokens';

jest.setTimeout(1_800_000);

const KILLS = 20;
const RESTARTS = 5;

/** How many reports the sums have. */
async function countedAt(origin: string): Promise<unknown> {
  const { reports } = (await (await fetch(`${origin}/statistics`)).json()) as { readonly reports: unknown };
  return reports;
}

describeCrashes((stores, kind) => {
  test('a collector that is killed under load, again and again, loses and doubles no report', async () => {
    const { cluster } = stores();

    const { acknowledged, unanswered } = await killUnderLoad(await stores().fresh(), KILLS, 400);
    process.stderr.write(
      `${cluster === null ? 'PGlite' : 'PostgreSQL'}: ${KILLS} kills, ${acknowledged.length} acknowledged, ` +
        `${unanswered.length} without an answer, 0 lost, 0 doubled\n`,
    );
  });

  // The database of a folder is a thread of the collector.
  if (kind === 'PostgreSQL')
    test.each([false, true])(
      'a database server that crashes under load loses no report that was acknowledged; with tokens: %s',
      async (withTokens) => {
        const cluster = serverOf(stores());
        const trial = new TokenTrial();
        const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-tokens-'));
        const options = withTokens ? await trial.files(folder) : [];
        const collector = await startCollectorProcess(await stores().fresh(), [
          '--rate-limit',
          '1000000',
          ...options,
        ]);
        // A collector that stayed open after a failure would hide which expectation failed.
        try {
          const load = new Load(withTokens ? await trial.signer() : null);
          for (let restart = 1; restart <= RESTARTS; restart++) {
            load.start([collector.origin]);
            await load.reached(restart * 400);
            // The crash may take sums back that this question has had made.
            await countedAt(collector.origin);
            await cluster.crash();
            await load.ended();
            await cluster.start();
          }
          const { acknowledged, unanswered } = load;
          const kept = await idsAt(collector.origin);
          expect(new Set(kept).size).toBe(kept.length);
          expect(acknowledged.filter(({ report_id: id }) => !kept.includes(id))).toEqual([]);
          // No token was spent for nothing, and none can be spent again.
          for (const report of unanswered)
            expect((await load.again(collector.origin, report)).status).toBe(200);
          if (withTokens)
            for (const report of [...acknowledged, ...unanswered])
              expect((await load.spendAgain(collector.origin, report)).status).toBe(401);
          expect(await idsAt(collector.origin)).toHaveLength(acknowledged.length + unanswered.length);
          expect(await countedAt(collector.origin)).toBe(acknowledged.length + unanswered.length);
          process.stderr.write(
            `PostgreSQL: crashed ${RESTARTS} times, ${acknowledged.length} acknowledged, ${unanswered.length} without an answer, 0 lost\n`,
          );
        } finally {
          await collector.end('SIGTERM');
          await rm(folder, { recursive: true });
        }
      },
    );

  test('a collector with tokens that is killed under load, again and again, spends none twice and none for nothing', async () => {
    const { cluster } = stores();
    const trial = new TokenTrial();
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-tokens-'));
    const options = await trial.files(folder);
    const store = await stores().fresh();
    const load = new Load(await trial.signer());
    await killUnderLoad(store, KILLS, 400, load, options);
    const collector = await startCollectorProcess(store, ['--rate-limit', '1000000', ...options]);
    try {
      const sent = [...load.acknowledged, ...load.unanswered];
      for (const report of sent) expect((await load.spendAgain(collector.origin, report)).status).toBe(401);
      expect(await idsAt(collector.origin)).toHaveLength(sent.length);
      process.stderr.write(
        `${cluster === null ? 'PGlite' : 'PostgreSQL'} with tokens: ${load.acknowledged.length} acknowledged, ` +
          `${load.unanswered.length} without an answer, 0 lost, 0 doubled, 0 tokens spent twice\n`,
      );
    } finally {
      await collector.end('SIGTERM');
      await rm(folder, { recursive: true });
    }
  });
});
