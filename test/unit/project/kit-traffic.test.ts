import { EventEmitter } from 'node:events';
import { InterceptResolutionAction, type Browser } from 'puppeteer-core';
import { Traffic } from '../../../scenarios/kit/traffic';

/** What is kept of an answer with this header. */
async function answerWith(header: string, isIntercepted: boolean): Promise<Traffic['answers'][number]> {
  const page = new EventEmitter();
  const target = { page: () => Promise.resolve(page), browserContext: () => null };
  const browser = { on: () => undefined, targets: () => [target], defaultBrowserContext: () => null };
  const traffic = new Traffic(browser as unknown as Browser, 'chrome');
  await new Promise(setImmediate);
  const { Continue, Disabled } = InterceptResolutionAction;
  const request = {
    url: () => 'https://ads.example/',
    method: () => 'GET',
    headers: () => ({}),
    frame: () => null,
    interceptResolutionState: () => ({ action: isIntercepted ? Continue : Disabled }),
  };
  page.emit('response', {
    url: request.url,
    request: () => request,
    status: () => 200,
    headers: () => ({ [header.toLowerCase()]: 'x' }),
  });
  const [answer] = traffic.answers;
  if (answer === undefined) throw new Error('nothing was kept');
  return answer;
}

test.each([
  ['Attribution-Reporting-Register-Source', true, true],
  ['Attribution-Reporting-Register-OS-Trigger', true, true],
  ['Attribution-Reporting-Register-Source', false, false],
  ['Attribution-Reporting-Info', true, false],
  ['Attribution-Reporting-Register-Sorce', true, false],
])('an answer with %s (intercepted: %s) may be a registration of the test: %s', async (header, is, may) => {
  expect((await answerWith(header, is)).mayBeMade).toBe(may);
});
