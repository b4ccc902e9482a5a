import { BatchHealth } from '../../../collector/store/batch-health';

test('batches fail from one that did until one that went well, or until that is long ago', () => {
  let now = 1000;
  const health = new BatchHealth(() => now);
  expect(health.isFailing).toBe(false);
  health.failed();
  expect(health.isFailing).toBe(true);
  health.succeeded();
  expect(health.isFailing).toBe(false);
  health.failed();
  now += 29_999;
  expect(health.isFailing).toBe(true);
  now += 1;
  expect(health.isFailing).toBe(false);
});
