import { CheckpointPace } from '../../../cli/simulate/checkpoint';

/** How many checkpoints are written, and their share of the time, when each takes `each` ms and is offered every `between` ms of work. */
function run(
  each: number,
  between: number,
  parts: number,
): { readonly count: number; readonly share: number } {
  let now = 1_000_000;
  const start = now;
  const pace = new CheckpointPace(start);
  let count = 0;
  for (let part = 0; part < parts; part++) {
    now += between;
    if (!pace.isDue(now)) continue;
    pace.took(now, now + each);
    now += each;
    count += 1;
  }
  return { count, share: (count * each) / (now - start) };
}

test.each([
  ['a fast disk', 0.2, 20],
  ['a disk that takes as long as a part', 20, 20],
  ['a slow disk', 300, 20],
])('in a long run, checkpoints take a hundredth of the time: %s', (_, each, between) => {
  const { count, share } = run(each, between, 50_000);
  expect(count).toBeGreaterThan(20);
  expect(share).toBeLessThan(0.0105);
});

test('a short run has one after each part, as long as they take a tenth of a second together', () => {
  expect(run(1, 20, 50).count).toBe(50);
  expect(run(60, 20, 50).count).toBe(2);
});
