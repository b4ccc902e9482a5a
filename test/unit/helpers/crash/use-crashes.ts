/** Sets up what `dieOften` needs of a browser: it is online, and no timer goes off. */
export function useCrashes(): void {
  beforeAll(() => {
    jest.useFakeTimers({ doNotFake: ['Date', 'setImmediate', 'nextTick', 'queueMicrotask'] });
    Object.defineProperty(globalThis, 'navigator', {
      value: {
        get onLine() {
          return true;
        },
      },
      configurable: true,
    });
    // The background says what it could not record because it was killed.
    jest.spyOn(console, 'error').mockReturnValue();
  });
  afterAll(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
}
