import { useCrashes } from '../unit/helpers/crash/use-crashes';
import { dieOften } from '../unit/helpers/crash/workload';

useCrashes();

const DEATHS = 1_000_000;

test(
  'a background that dies at any of a million points loses, doubles and half does nothing',
  async () => {
    const { deaths, registered, taken, wrong } = await dieOften('soak', DEATHS);
    expect(wrong).toEqual([]);
    expect(deaths).toBe(DEATHS);
    process.stderr.write(`${deaths} deaths, ${registered} registrations, ${taken} reports taken\n`);
  },
  4 * 3_600_000,
);
