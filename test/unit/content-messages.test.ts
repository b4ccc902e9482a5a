import type { Runtime } from 'webextension-polyfill';
import { ContentMessages } from '../../extension/background/content-messages';

const SENDER = { tab: { id: 1 }, url: 'https://page.example/', documentId: 'd', frameId: 0 };

afterEach(() => void jest.useRealTimers());

test('a page that sent too much is heard again after ten seconds, and what was dropped logged, if the device’s clock is set back', async () => {
  jest.useFakeTimers();
  const dropped = jest.fn();
  const parts = {
    documents: {
      find: () => Promise.resolve(undefined),
      placeOf: () => Promise.resolve({ contextOrigin: 'https://page.example', obstacle: null }),
    },
    settings: { isPaused: () => false, rulesInForce: [] },
    recorder: { dropped },
  } as unknown as ConstructorParameters<typeof ContentMessages>[0];
  const content = new ContentMessages(parts);
  const ask = (): Promise<unknown> =>
    content.answer({ kind: 'rules' }, SENDER as unknown as Runtime.MessageSender);
  const answers = await Promise.all(Array.from({ length: 403 }, ask));
  expect(answers.slice(399)).toEqual([[], false, false, false]);
  jest.setSystemTime(Date.now() - 3_600_000);
  await jest.advanceTimersByTimeAsync(10_001);
  expect(dropped.mock.calls).toMatchObject([[{}, {}, { values: { count: 3 } }]]);
  expect(await ask()).toEqual([]);
});
