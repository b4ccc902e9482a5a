import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { analysesInThreads, usedThreads } from '../../../cli/estimate/threads';
import { mergeConfigurations } from '../../../analysis/estimate/unbiased/tally';
import { root } from '../../../node/root';
import { configurationOf } from '../helpers/estimates';

const OPTIONS = { level: 0.95, randomness: 'noise', likelihood: false, singles: false } as const;

const tallies = mergeConfigurations([
  {
    given: 'ads',
    configuration: configurationOf({}, 'event', 1),
    groups: Array.from({ length: 200 }, (_, group) => ({ group: [`${group}`], tally: new Map([['0', 9]]) })),
  },
]);

test('an error in another thread ends the estimates', async () => {
  // Only this thread reads what an object inherits: a copy in another thread is empty.
  const inherited = tallies.map((tally) => Object.create(tally) as typeof tally);
  await expect(analysesInThreads(inherited, OPTIONS, false, 1)).resolves.toHaveLength(1);
  await expect(analysesInThreads(inherited, OPTIONS, false, 2)).rejects.toThrow(/undefined/);
});

test('a thread that ends without an error ends the estimates, too', async () => {
  await jest.isolateModulesAsync(async () => {
    const node = jest.requireActual<object>('../../../node/worker');
    jest.doMock('../../../node/worker', () => ({
      ...node,
      startWorker: () => new Worker('process.exit(0)', { eval: true }),
    }));
    const threads = await import('../../../cli/estimate/threads');
    await expect(threads.analysesInThreads(tallies, OPTIONS, false, 2)).rejects.toThrow(
      'a thread ended without a result (exit code 0)',
    );
  });
});

test('few groups are estimated in one thread, whatever number is allowed', () => {
  expect([0, 199, 200, 850].map((groups) => usedThreads(groups, 8))).toEqual([1, 1, 2, 8]);
  expect(usedThreads(850, 3)).toBe(3);
});

test('a program of --eval starts threads, too, although none could start with its options', () => {
  const program = `
    import { createRequire } from 'node:module';
    const { answerOf, startWorker } = createRequire(${JSON.stringify(path.join(root, 'node/'))})('./worker');
    await answerOf(startWorker('estimate-worker'), {}).catch(({ message }) => console.log(message));`;
  const options = ['--require', require.resolve('tsx/cjs'), '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, options, { cwd: root, encoding: 'utf8' });
  // Its own mistake in an empty task.
  expect([stdout, stderr]).toEqual([expect.stringMatching(/undefined|null|iterable/), '']);
});
