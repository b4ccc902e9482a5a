import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { limited } from '../../../collector/store/database';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const LIMIT = 100;

test('the time of a question ends although garbage was collected meanwhile', async () => {
  const stop = new AbortController();
  const { signal } = limited(stop.signal, LIMIT);
  await sleep(0);
  collectGarbage();
  await sleep(3 * LIMIT);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  expect(stop.signal.aborted).toBe(false);
});

test('the time of a question ends early when nobody waits any more, and not at all once it is cleared', async () => {
  const stop = new AbortController();
  const { signal } = limited(stop.signal, LIMIT);
  const cleared = limited(stop.signal, LIMIT);
  cleared.clear();
  stop.abort('gone');
  expect(signal.reason).toBe('gone');
  expect(limited(stop.signal, LIMIT).signal.reason).toBe('gone');
  await sleep(3 * LIMIT);
  expect([signal.reason, cleared.signal.aborted]).toEqual(['gone', false]);
});
