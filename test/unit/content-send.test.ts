/** How many of 1,000 messages leave a document with this URL within ten seconds. */
async function sentFrom(href: string): Promise<number> {
  let sent = 0;
  const runtime = { sendMessage: () => Promise.resolve((sent += 1)) };
  Object.assign(globalThis, { chrome: { runtime }, location: { href } });
  await jest.isolateModulesAsync(async () => {
    const { send } = await import('../../extension/content/send');
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
