import { HalfStore } from './helpers/crash/disk';
import { withoutBrowser } from './helpers/crash/no-browser';
import { dieOften } from './helpers/crash/workload';

let bringBack = (): void => undefined;
beforeAll(() => {
  bringBack = withoutBrowser();
});
afterAll(() => bringBack());

test('a background that dies at any of 3,000 points loses, doubles and half does nothing', async () => {
  const { deaths, registered, taken, wrong } = await dieOften('crash', 3000);
  expect(wrong).toEqual([]);
  expect(deaths).toBe(3000);
  expect(registered).toBeGreaterThan(3000);
  expect(taken).toBeGreaterThan(300);
}, 1_200_000);

test('a store that keeps the first half of a transaction is found out', async () => {
  const { wrong } = await dieOften('half', 1000, HalfStore);
  expect(wrong).not.toEqual([]);
});
