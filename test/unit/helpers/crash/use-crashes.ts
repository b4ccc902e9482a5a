import { fetchOfNetwork } from './network';

/** Sets up what `dieOften` needs of a browser: it is online, and no timer goes off. */
export function useCrashes(): void {
  const { error } = console;
  beforeAll(() => {
    jest.useFakeTimers({ doNotFake: ['Date', 'setImmediate', 'nextTick', 'queueMicrotask'] });
    globalThis.fetch = fetchOfNetwork as unknown as typeof fetch;
    Object.defineProperty(globalThis, 'navigator', {
      value: {
        get onLine() {
          return true;
        },
      },
      configurable: true,
    });
    // The background says what it could not record because it was killed. A mock would keep all of it.
    console.error = () => undefined;
  });
  afterAll(() => {
    jest.useRealTimers();
    console.error = error;
  });
}
