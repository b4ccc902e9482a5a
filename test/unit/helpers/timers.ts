/** Timers that only the test moves on, for a whole file. Dates, promises and what settles them go on by themselves. */
export function useFakeTimers(): void {
  beforeAll(
    () => void jest.useFakeTimers({ doNotFake: ['Date', 'setImmediate', 'nextTick', 'queueMicrotask'] }),
  );
  afterAll(() => void jest.useRealTimers());
}

/** Resolves when all that needs no timer has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}
