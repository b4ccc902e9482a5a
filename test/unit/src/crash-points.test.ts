import { HalfStore } from '../helpers/crash/disk';
import { withoutBrowser } from '../helpers/crash/no-browser';
import { dieOften } from '../helpers/crash/workload';

let bringBack = (): void => undefined;
beforeAll(() => {
  bringBack = withoutBrowser();
});
afterAll(() => bringBack());

test('a background that dies at any of 10,000 points loses, doubles and half does nothing', async () => {
  const { deaths, registered, taken, wrong } = await dieOften('crash', 10_000);
  expect(wrong).toEqual([]);
  expect(deaths).toBe(10_000);
  expect(registered).toBeGreaterThan(10_000);
  expect(taken).toBeGreaterThan(1000);
}, 1_200_000);

test('a store that keeps the first half of a transaction is found out', async () => {
  const { wrong } = await dieOften('half', 1000, HalfStore);
  expect(wrong).not.toEqual([]);
});
