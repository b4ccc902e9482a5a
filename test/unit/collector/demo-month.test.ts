import { DEMO_MONTH, simulateMonth } from '../../../collector/demo/fill';

test('a month that is stopped ends with the person that is simulated', async () => {
  const stopping = new AbortController();
  const simulated: number[] = [];
  const progress = (users: number): void => {
    simulated.push(users);
    if (users === 2) stopping.abort(new Error('the store does not open'));
  };
  const month = simulateMonth({ ...DEMO_MONTH, progress }, stopping.signal);
  await expect(month).rejects.toThrow('the store does not open');
  expect(simulated).toEqual([1, 2]);
});
