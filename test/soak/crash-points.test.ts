import { useCrashes } from '../unit/helpers/crash/use-crashes';
import { dieOften } from '../unit/helpers/crash/workload';

useCrashes();

const DEATHS = 1_000_000;
/** Each says what was found so far. */
const PARTS = 20;

test(
  'a background that dies at any of a million points loses, doubles and half does nothing',
  async () => {
    const all = { deaths: 0, registered: 0, taken: 0 };
    for (let part = 0; part < PARTS; part++) {
      const { deaths, registered, taken, wrong } = await dieOften(`soak ${part}`, DEATHS / PARTS);
      expect(wrong).toEqual([]);
      all.deaths += deaths;
      all.registered += registered;
      all.taken += taken;
      process.stderr.write(
        `${all.deaths} deaths, ${all.registered} registrations, ${all.taken} reports taken\n`,
      );
    }
    expect(all.deaths).toBe(DEATHS);
  },
  4 * 3_600_000,
);
