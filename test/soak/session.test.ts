import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '../../node/root';

/* The session of docs/session.md, which nobody would notice to fail. */

test.each(['chrome', 'firefox'])('the recorded session says in %s what its page says', async (browser) => {
  const words = ['tsx', 'scenarios/demo/session.ts', '--browser', browser];
  const { stdout } = await promisify(execFile)('npx', words, { cwd: root });
  const lines = stdout.split('\n').map((line) => line.trim());
  expect(lines).toContain('saveImpression of publisher.localhost: {"kind":"saved"}');
  expect(lines).toContainEqual(expect.stringMatching(/^measureConversion .*"holds":\[\[2,1\]\]\}$/));
  const sums = lines
    .filter((line) => line.startsWith('{"bucket":'))
    .map((line) => JSON.parse(line) as object);
  expect(sums).toEqual(
    [0, 1, 2, 3].map((bucket) => ({
      bucket,
      value: expect.any(Number) as number,
      standard_error: expect.closeTo(5.64) as number,
    })),
  );
  // The arms are another draw in each period of the budget.
  const [, exposed, heldOut] =
    /(\d+) people were exposed, and (\d+) were held out/.exec(stdout)?.map(Number) ?? [];
  if (exposed === undefined || heldOut === undefined) throw new Error(`no arms in ${stdout}`);
  const buyers = (people: number, ofFive: number): number =>
    Math.floor(people / 5) * ofFive + Math.min(people % 5, ofFive);
  const caused = buyers(exposed, 4) - buyers(heldOut, 2);
  const [, found] = /event-level +(\S+) /.exec(stdout) ?? [];
  // ε = 14 replaces one of 400,000 reports.
  expect(Number(found)).toBeCloseTo(caused, 0);
});
