import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** More than a line of a ledger has. */
const LENGTH = 1000;
const RACES = 100;
/** Of so many races, until two overlap. On a loaded machine, one process may go through all of them before the other begins. */
const ROUNDS = 50;

test('two first runs at once both add their line, whole, to one private file', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-own-lines-'));
  const execArgv = ['--require', require.resolve('tsx/cjs')];
  const racers = ['a', 'b'].map((letter) => ({
    line: letter.repeat(LENGTH),
    racer: fork(path.join(__dirname, '../helpers/line-racer.ts'), { execArgv }),
  }));
  const race = async (racer: ChildProcess, files: readonly string[], line: string): Promise<string[][]> => {
    const failed = once(racer, 'exit').then(() => Promise.reject(new Error('it ended')));
    // It also ends when it is no longer needed.
    failed.catch(() => undefined);
    const answered = once(racer, 'message') as Promise<[string[][]]>;
    racer.send({ files, line });
    return (await Promise.race([answered, failed]))[0];
  };
  try {
    // Both have started before they get the files.
    await Promise.all(racers.map(({ racer }) => race(racer, [], '')));
    const lines = racers.map(({ line }) => line);
    let overlaps = 0;
    for (let round = 0; round < ROUNDS && overlaps === 0; round++) {
      const files = Array.from({ length: RACES }, (_, index) => path.join(folder, `lines-${round}-${index}`));
      const before = await Promise.all(racers.map(({ racer, line }) => race(racer, files, line)));
      files.forEach((file, index) => {
        expect(readFileSync(file, 'utf8').split('\n').sort()).toEqual(['', ...lines]);
        expect(statSync(file).mode & 0o777).toBe(0o600);
        // Each found nothing, or the whole line of the other.
        for (const [own, found] of before.entries())
          expect([[], [lines[1 - own]]]).toContainEqual(found[index]);
        // Both looked before either had added its line.
        if (before.every((found) => found[index]?.length === 0)) overlaps++;
      });
    }
    expect(overlaps).toBeGreaterThan(0);
  } finally {
    for (const { racer } of racers) racer.kill();
    rmSync(folder, { recursive: true });
  }
});
