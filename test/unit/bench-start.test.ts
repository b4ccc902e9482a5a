import { brokenPromises } from '../../bench/start';

test('a start that takes more than four times bare Node breaks the promise, and so does one that could not be measured', () => {
  const ratios = { 'cointoss --version': 4, 'cointoss --help': 4.01, 'cointoss states': NaN };
  expect(brokenPromises(new Map(Object.entries(ratios)))).toEqual([
    "cointoss --help: must start in at most 4 times bare Node's time, took 4.01",
    "cointoss states: must start in at most 4 times bare Node's time, took NaN",
  ]);
});
