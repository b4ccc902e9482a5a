import { createHook } from 'node:async_hooks';

/** Counts the threads that start while the tests of a file or a block run. @returns how many have started so far */
export function countThreads(): () => number {
  let started = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'WORKER') started += 1;
    },
  });
  beforeAll(() => void hook.enable());
  afterAll(() => void hook.disable());
  return () => started;
}
