import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import browser from 'webextension-polyfill';
import { fetchTrial } from '../../../extension/background/consent/fetch-trial';

const PRIVATE = 'leads to this device or into a private network';
const INVALID = 'Must be an https address';

afterEach(() => jest.restoreAllMocks());

test.each<[string, boolean, string]>([
  ['http://uni.example/trial.json', false, INVALID],
  ['http://uni.example/trial.json', true, INVALID],
  ['http://192.168.1.1/reboot', true, INVALID],
  ['file:///etc/passwd', true, INVALID],
  ['ftp://localhost/trial.json', true, INVALID],
  ['no address', true, INVALID],
  ['http://localhost:8080/trial.json', false, INVALID],
  ['https://localhost/trial.json', false, PRIVATE],
  ['https://127.0.0.1/reboot', false, PRIVATE],
  ['https://[::1]/reboot', false, PRIVATE],
  ['https://[::ffff:127.0.0.1]/reboot', false, PRIVATE],
  ['https://192.168.1.1/reboot', false, PRIVATE],
  ['https://192.168.1.1/reboot', true, PRIVATE],
  ['https://169.254.169.254/latest', true, PRIVATE],
  ['https://printer.local/', true, PRIVATE],
  ['https://router/', true, PRIVATE],
])('%s is not asked for a trial (in a rehearsal: %p)', async (link, rehearsal, message) => {
  const asked = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{}'));
  await expect(fetchTrial(link, rehearsal)).rejects.toThrow(message);
  expect(asked).not.toHaveBeenCalled();
});

test('a name that leads to the device is not asked, where the browser says where it leads', async () => {
  const asked = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{}'));
  const dns = { resolve: () => Promise.resolve({ addresses: ['203.0.113.7', '127.0.0.1'] }) };
  Object.assign(browser, { dns });
  try {
    await expect(fetchTrial('https://uni.example/trial.json', true)).rejects.toThrow(PRIVATE);
  } finally {
    delete (browser as { dns?: unknown }).dns;
  }
  expect(asked).not.toHaveBeenCalled();
});

test('a server on the internet is asked without cookies, redirects, and what the browser knows to be private', async () => {
  const asked = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('{"id": "x"}'));
  expect(await fetchTrial('https://uni.example/trial.json', false)).toEqual({ id: 'x' });
  expect(asked).toHaveBeenCalledTimes(1);
  const [address, options] = asked.mock.calls[0] ?? [];
  expect([address, options]).toEqual([
    'https://uni.example/trial.json',
    expect.objectContaining({
      credentials: 'omit',
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
      targetAddressSpace: 'public',
    }),
  ]);
  expect(options?.signal?.aborted).toBe(false);
});

describe('from a server of a rehearsal', () => {
  let server: Server;
  let asked: string[];

  const serve = async (answer: RequestListener): Promise<string> => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://localhost:${(server.address() as AddressInfo).port}`;
  };

  afterEach(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  it('comes what it answers', async () => {
    const origin = await serve((_request, response) => response.end('{"id": "x"}'));
    expect(await fetchTrial(`${origin}/trial.json`, true)).toEqual({ id: 'x' });
  });

  it('comes nothing that is elsewhere', async () => {
    const origin = await serve((_request, response) =>
      response.writeHead(302, { Location: '/reboot' }).end(),
    );
    await expect(fetchTrial(`${origin}/trial.json`, true)).rejects.toThrow(/redirects|answered 302/);
    expect(asked).toEqual(['/trial.json']);
  });

  it('comes no more than is read', async () => {
    const origin = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('"'.padEnd(65_536, 'x')));
      };
      response.on('drain', more);
      more();
    });
    await expect(fetchTrial(`${origin}/trial.json`, true)).rejects.toThrow('Must be shorter than 500,000');
  });

  it('comes an error that names the status, or that it is no JSON', async () => {
    const origin = await serve((request, response) =>
      request.url === '/none' ? response.writeHead(404).end('no') : response.end('<html>'),
    );
    await expect(fetchTrial(`${origin}/none`, true)).rejects.toThrow('The server answered 404');
    await expect(fetchTrial(`${origin}/page`, true)).rejects.toThrow('must be JSON');
  });
});

test.each<[string, string]>([
  ['{"id": "x", "id": "y"}', 'id: must be given once'],
  [
    '{"settings": {"collector": null, "collector": "https://a.example"}}',
    'settings.collector: must be given once',
  ],
  ['{"id"}', 'JSON'],
])('the trial %s is refused', async (text, message) => {
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(text));
  await expect(fetchTrial('https://uni.example/trial.json', false)).rejects.toThrow(message);
});
