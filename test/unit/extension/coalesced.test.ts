import { Coalesced } from '../../../extension/pages/state/coalesced';

describe('coalesced work', () => {
  let runs = 0;
  let finish: (() => void)[] = [];

  const work = (): Promise<void> => {
    runs++;
    return new Promise((resolve) => finish.push(resolve));
  };

  beforeEach(() => {
    jest.useFakeTimers();
    [runs, finish] = [0, []];
  });
  afterEach(() => jest.useRealTimers());

  const end = async (): Promise<void> => {
    finish.pop()?.();
    await Promise.resolve();
  };

  test('runs at once, and for all that is asked meanwhile once more after a pause', async () => {
    const coalesced = new Coalesced(work, () => 250);
    for (let time = 0; time < 1000; time++) coalesced.ask();
    expect(runs).toBe(1);
    await end();
    coalesced.ask();
    jest.advanceTimersByTime(249);
    expect(runs).toBe(1);
    jest.advanceTimersByTime(1);
    expect(runs).toBe(2);
    await end();
    jest.advanceTimersByTime(10_000);
    expect(runs).toBe(2);
    coalesced.ask();
    expect(runs).toBe(3);
  });

  test('asks each time how long the pause is', async () => {
    const pauses = [10, 1000];
    const coalesced = new Coalesced(work, () => pauses.shift() ?? NaN);
    coalesced.ask();
    coalesced.ask();
    await end();
    jest.advanceTimersByTime(10);
    expect(runs).toBe(2);
    coalesced.ask();
    await end();
    jest.advanceTimersByTime(999);
    expect(runs).toBe(2);
    jest.advanceTimersByTime(1);
    expect(runs).toBe(3);
  });

  test.each(['while it runs', 'in the pause'])('ends for good when it is stopped %s', async (when) => {
    const coalesced = new Coalesced(work, () => 250);
    coalesced.ask();
    coalesced.ask();
    if (when === 'in the pause') await end();
    coalesced.stop();
    await end();
    jest.advanceTimersByTime(1000);
    coalesced.ask();
    expect(runs).toBe(1);
  });
});
