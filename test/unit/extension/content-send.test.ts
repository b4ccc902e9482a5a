/** How many of 1,000 messages leave a document with this URL within ten seconds. */
async function sentFrom(href: string): Promise<number> {
  let sent = 0;
  const runtime = { sendMessage: () => Promise.resolve((sent += 1)) };
  Object.assign(globalThis, { chrome: { runtime }, location: { href } });
  await jest.isolateModulesAsync(async () => {
    const { send } = await import('../../../extension/content/send');
    for (let count = 0; count < 1000; count++) await send({ kind: 'rules' });
  });
  return sent;
}

test.each([
  ['https://news.example/', 200],
  ['about:blank', 200],
  [`https://news.example/${'x'.repeat(7000)}`, 50],
  [`https://news.example/${'x'.repeat(2_000_000)}`, 0],
])(
  'of a page that floods, few messages are sent, fewer if each carries a long URL (%#)',
  async (href, most) => {
    expect(await sentFrom(href)).toBe(most);
  },
);

test('a message that may not be sent is not made', async () => {
  let made = 0;
  const runtime = { sendMessage: () => Promise.resolve() };
  Object.assign(globalThis, { chrome: { runtime }, location: { href: 'https://news.example/' } });
  await jest.isolateModulesAsync(async () => {
    const { sendMade } = await import('../../../extension/content/send');
    for (let count = 0; count < 1000; count++)
      await sendMade(() => {
        made++;
        return { kind: 'rules' };
      });
  });
  expect(made).toBe(200);
});

describe('a message that is sent until it is answered', () => {
  const declaration = {
    kind: 'eligible-request',
    url: 'https://ad.example/',
    getsRule: true,
  } as const;
  const stopped = (): Promise<unknown> => Promise.reject(new Error('the message channel closed'));
  const silent = (): Promise<unknown> => Promise.resolve(undefined);
  const answered = (): Promise<unknown> => Promise.resolve(true);
  const refused = (): Promise<unknown> => Promise.resolve(false);

  test.each([
    ['is sent once if the background answers', [answered], 1],
    ['is sent once if the background refuses it', [refused], 1],
    ['is sent again if the background stops meanwhile', [stopped, answered], 2],
    ['is sent again if the browser only says that nobody answered', [silent, silent, answered], 3],
    ['is given up after three times', [stopped], 3],
  ])('%s', async (_, answers, times) => {
    const sent: unknown[] = [];
    const runtime = {
      sendMessage: (message: unknown) => {
        const answer = answers[sent.length] ?? answers[0] ?? silent;
        sent.push(message);
        return answer();
      },
    };
    Object.assign(globalThis, { chrome: { runtime }, location: { href: 'https://news.example/' } });
    await jest.isolateModulesAsync(async () => {
      const { sendUntilAnswered } = await import('../../../extension/content/send');
      await sendUntilAnswered(declaration);
    });
    expect(sent).toEqual(Array.from({ length: times }, () => declaration));
  });
});
