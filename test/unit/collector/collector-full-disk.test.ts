import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_LEVEL, freshReport, linesAt, post } from '../helpers/collector-client';
import { startCollectorProcess } from '../helpers/collector-process';
import { copyEmptyStore } from '../helpers/empty-store';

/** Room for the empty store, and not much more. */
const SIZE = '120m';

/** A disk of its own, which only root on Linux can have; null for others. */
function smallDisk(): string | null {
  const disk = mkdtempSync(path.join(tmpdir(), 'cointoss-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', disk], { stdio: 'ignore' });
    return disk;
  } catch {
    rmSync(disk, { recursive: true });
    return null;
  }
}

function fill(file: string): void {
  const block = Buffer.alloc(2 ** 20);
  for (;;)
    try {
      writeFileSync(file, block, { flag: 'a' });
    } catch {
      return;
    }
}

const disk = smallDisk();
const whereDisksCanBeMade = disk === null ? describe.skip : describe;

whereDisksCanBeMade('a full disk', () => {
  const root = disk ?? '';

  afterAll(() => {
    execFileSync('umount', [root]);
    rmSync(root, { recursive: true });
  });

  it('is answered with 503 until there is room again, loses nothing that was acknowledged, and holds no new store', async () => {
    const store = path.join(root, 'store');
    mkdirSync(store, { mode: 0o700 });
    await copyEmptyStore(store);
    const collector = await startCollectorProcess(store);
    const acknowledged: string[] = [];
    const send = async (): Promise<number> => {
      const report = freshReport();
      const { status } = await post(collector.origin + EVENT_LEVEL, report);
      if (status === 200) acknowledged.push(report.report_id);
      return status;
    };
    const health = async (): Promise<number> => (await fetch(`${collector.origin}/healthz`)).status;
    expect(await send()).toBe(200);
    expect(await health()).toBe(200);

    const filler = path.join(root, 'filler');
    fill(filler);
    const whileFull = [];
    for (let sent = 0; sent < 100; sent++) whileFull.push(await send());
    expect(whileFull.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    // The log of the database has some room of its own.
    expect(whileFull.slice(-20)).toEqual(Array.from({ length: 20 }, () => 503));

    expect(await health()).toBe(503);

    rmSync(filler);
    for (let sent = 0; sent < 5; sent++) expect(await send()).toBe(200);
    // The database is opened again, which reports do not wait for.
    while ((await health()) !== 200) await sleep(100);
    const kept = (await linesAt(`${collector.origin}/reports`)).map((line) => line['report_id']);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    await collector.end('SIGTERM');

    fill(filler);
    // Room to lock the store, and none for its tables.
    truncateSync(filler, statSync(filler).size - 2 ** 21);
    const second = startCollectorProcess(path.join(root, 'second'));
    await expect(second).rejects.toThrow(
      /^the collector did not start: (cointoss: counting .*\n)*cointoss: collect: --store .*second: the disk is full\n$/,
    );
    rmSync(filler);
  });
});
