import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { CollectorOptions } from '../../../collector/options';
import { DEBUG, EVENT_LEVEL, freshReport, linesAt, metric, post, VERBOSE } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';

const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;

/** Random, because the store compresses. */
const filler = randomBytes(45_000).toString('base64');
const verbose = [{ type: 'source-success', body: { filler } }];

const open: FastifyInstance[] = [];
afterAll(() => Promise.all(open.map((app) => app.close())));

async function start(options: Partial<CollectorOptions> = {}): Promise<string> {
  const app = await temporaryCollector(options);
  open.push(app);
  return app.listen({ port: 0, host: '127.0.0.1' });
}

const refusals = (origin: string): Promise<Record<string, number>> =>
  metric(origin, 'cointoss_refused_total');

let byDefault: string;
/** What an empty store takes up on its disk. */
let emptySize: number;

beforeAll(async () => {
  byDefault = await start();
  emptySize = (await metric(byDefault, 'cointoss_store_bytes'))[''] ?? 0;
});

test('debug reports are refused by default, before their body is read, and the answer names the option', async () => {
  const origin = byDefault;
  for (const [path, body] of [
    [VERBOSE, verbose],
    [VERBOSE, 'not even JSON'],
    [DEBUG, freshReport()],
  ] as const) {
    const response = await post(origin + path, body);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      error: 'this collector takes no debug reports; its operator can switch them on with --debug-reports',
      path: '',
      reason: 'debug-reports-off',
    });
  }
  expect(await linesAt(`${origin}/reports`)).toEqual([]);
  expect(await refusals(origin)).toMatchObject({ 'reason="debug-reports-off"': 3 });
  expect((await post(origin + EVENT_LEVEL, freshReport())).status).toBe(200);
});

describe('with debug reports', () => {
  const clientBudget = MEBIBYTE;
  let storeLimit: number;
  let origin: string;

  beforeAll(async () => {
    storeLimit = emptySize + 4 * MEBIBYTE;
    origin = await start({ debugReports: true, clientBudget, storeLimit, trustProxy: '127.0.0.1' });
  });

  let clients = 0;
  const freshClient = (): string => `192.0.2.${++clients}`;

  const send = (path: string, body: object | string, client = freshClient()): Promise<Response> =>
    post(origin + path, body, { 'X-Forwarded-For': client });

  test('they are taken', async () => {
    expect((await send(VERBOSE, verbose)).status).toBe(200);
    expect((await send(DEBUG, freshReport())).status).toBe(200);
  });

  test('the body of an event-level report is at most 8 KiB long', async () => {
    const padded = (bytes: number): string => JSON.stringify(freshReport()).padEnd(bytes);
    for (const path of [EVENT_LEVEL, DEBUG]) {
      expect((await send(path, padded(8 * KIBIBYTE))).status).toBe(200);
      const response = await send(path, padded(8 * KIBIBYTE + 1));
      expect(response.status).toBe(413);
      expect(await response.json()).toEqual({
        error: 'the report must be at most 8192 bytes long',
        path: '',
        reason: 'too-large',
      });
    }
  });

  test('what one client stores in a day is limited, and others go on', async () => {
    const client = freshClient();
    const statuses = [];
    for (let sent = 0; sent < 20; sent++) statuses.push((await send(VERBOSE, verbose, client)).status);
    expect(statuses).toEqual([...Array<number>(18).fill(200), 429, 429]);
    const refused = await send(EVENT_LEVEL, freshReport(), client);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(24 * 3600);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.json()).toEqual({
      error: 'one client may store at most 1 MiB in a day (--client-budget)',
      path: '',
      reason: 'client-budget',
    });
    expect((await send(EVENT_LEVEL, freshReport())).status).toBe(200);
    expect(await refusals(origin)).toMatchObject({ 'reason="client-budget"': 3 });
  });

  test('one client is a network of IPv6, all addresses of which it has', async () => {
    const statuses = [];
    for (let sent = 1; sent <= 19; sent++)
      statuses.push((await send(VERBOSE, verbose, `2001:db8::${sent}`)).status);
    expect(statuses).toEqual([...Array<number>(18).fill(200), 429]);
    expect((await send(EVENT_LEVEL, freshReport(), '2001:db8:0:1::1')).status).toBe(200);
  });

  test('a report that is sent again counts once', async () => {
    const client = freshClient();
    const padded = JSON.stringify(freshReport()).padEnd(8 * KIBIBYTE);
    for (let sent = 0; sent < 130; sent++) expect((await send(EVENT_LEVEL, padded, client)).status).toBe(200);
  });

  test('a store that has reached its limit answers 507, and metrics show size, limit and refusals', async () => {
    const statuses = [];
    for (let sent = 0; sent < 70; sent++) statuses.push((await send(VERBOSE, verbose)).status);
    expect(statuses[0]).toBe(200);
    expect(statuses.slice(-5)).toEqual([507, 507, 507, 507, 507]);
    const refused = await send(EVENT_LEVEL, freshReport());
    expect(refused.status).toBe(507);
    expect(await refused.json()).toEqual({
      error: 'the store has reached its limit; its operator can raise it with --store-limit',
      path: '',
      reason: 'store-full',
    });
    const size = await metric(origin, 'cointoss_store_bytes');
    expect(size['']).toBeGreaterThan(emptySize);
    expect(await metric(origin, 'cointoss_store_limit_bytes')).toEqual({ '': storeLimit });
    expect((await refusals(origin))['reason="store-full"']).toBeGreaterThanOrEqual(6);
  });
});
