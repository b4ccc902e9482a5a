import { ClickRequests } from '../../../extension/background/observe/click-requests';

const isSettled = async (waiting: Promise<void>): Promise<boolean> => {
  const pending = Symbol('pending');
  const soon = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([waiting, soon])) !== pending;
};

describe('what waits for the sources of clicks', () => {
  test('goes on at once if there are none, or only in other tabs', async () => {
    const clicks = new ClickRequests();
    clicks.add(1);
    expect(await isSettled(clicks.settled([]))).toBe(true);
    expect(await isSettled(clicks.settled([2]))).toBe(true);
  });

  test('waits for all of its tabs, and for what a redirect adds before the answer', async () => {
    const clicks = new ClickRequests();
    const [first, second] = [clicks.add(1), clicks.add(2)];
    const waiting = clicks.settled([1, 2, 2]);
    first();
    expect(await isSettled(waiting)).toBe(false);
    const third = clicks.add(1);
    second();
    expect(await isSettled(waiting)).toBe(false);
    third();
    expect(await isSettled(waiting)).toBe(true);
    expect(await isSettled(clicks.settled([1, 2]))).toBe(true);
  });

  test('takes memory for itself and for the requests, and not for each pair of them', async () => {
    const clicks = new ClickRequests();
    const then = jest.spyOn(Promise.prototype, 'then');
    const answers = Array.from({ length: 400 }, () => clicks.add(1));
    const waiting = Array.from({ length: 400 }, () => clicks.settled([1]));
    expect(then.mock.calls.length).toBeLessThan(5 * 800);
    then.mockRestore();
    for (const answer of answers) answer();
    await Promise.all(waiting);
  });
});
