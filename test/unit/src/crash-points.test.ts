import { HalfStore } from '../helpers/crash/disk';
import { withoutBrowser } from '../helpers/crash/no-browser';
import { dieOften } from '../helpers/crash/workload';

let bringBack = (): void => undefined;
beforeAll(() => {
  bringBack = withoutBrowser();
});
afterAll(() => bringBack());

/** A million in `npm run soak`. */
const DEATHS = 1000;

test('a background that dies at any of 1,000 points loses, doubles and half does nothing', async () => {
  const { deaths, registered, taken, wrong } = await dieOften('crash', DEATHS);
  expect(wrong).toEqual([]);
  expect(deaths).toBe(DEATHS);
  expect(registered).toBeGreaterThan(DEATHS);
  expect(taken).toBeGreaterThan(DEATHS / 10);
}, 1_200_000);

test('a store that keeps the first half of a transaction is found out', async () => {
  const { wrong } = await dieOften('half', 1000, HalfStore);
  expect(wrong).not.toEqual([]);
});
