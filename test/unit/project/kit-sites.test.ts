import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveSites } from '../../../scenarios/kit';

test('a site answers a path with any query as it does without, unless that query has its own reply', async () => {
  const sites = await serveSites();
  const ask = async (path: string): Promise<string> => {
    const request = get({ host: '127.0.0.1', port: sites.port, path, headers: { Host: 'shop.localhost' } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return `${answer.statusCode} ${await text(answer)}`;
  };
  try {
    sites.serve('shop', '/basket', { body: 'full' });
    sites.serve('shop', '/basket?none', { body: 'empty' });
    expect(await ask('/basket')).toBe('200 full');
    expect(await ask('/basket?at=1')).toBe('200 full');
    expect(await ask('/basket?none')).toBe('200 empty');
    expect(await ask('/baskets?at=1')).toMatch(/^404/);
    expect(sites.received('shop').map(({ path }) => path)).toContain('/basket?at=1');
  } finally {
    await sites.close();
  }
});
