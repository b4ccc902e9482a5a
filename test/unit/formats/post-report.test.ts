import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postReport, type Attempt } from '../../../extension/background/deliver/post-report';
import { RECEIPT_HEADER, receiptOf } from '../../../formats/tokens/receipt';
import { toBase64Url } from '../../../formats/codec/base64-url';
import type { Origin } from '../../../src/model/units';
import { EVENT_LEVEL, freshReport } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';
import { freePort, TokenTrial } from '../helpers/tokens';
import { report } from '../helpers/rows';

const body = freshReport();
const PORTAL = '<html>Please log in</html>';

const attempt = (origin: string, authorization: string | null): Promise<Attempt> =>
  postReport(
    { ...report(1, 0, 1), url: `https://ads.example${EVENT_LEVEL}`, recipient: origin as Origin },
    body,
    authorization,
    new AbortController().signal,
    new AbortController().signal,
  );

describe('a network that answers in place of the collector', () => {
  let portal: Server;
  let origin: string;
  let receipt: string | null = null;

  beforeAll(async () => {
    portal = createServer((_request, response) => {
      if (receipt !== null) response.setHeader(RECEIPT_HEADER, receipt);
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(PORTAL);
    });
    portal.listen(0, '127.0.0.1');
    await once(portal, 'listening');
    origin = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`;
  });
  afterAll(() => void portal.close());

  test('does not end a report that spends a token', async () => {
    for (receipt of [null, toBase64Url(await receiptOf('another report'))])
      expect(await attempt(origin, 'PrivateToken token="x"')).toMatchObject({
        outcome: {
          kind: 'unreachable',
          to: origin + EVENT_LEVEL,
          error: expect.stringContaining(
            'something else than the collector answered (status 200)',
          ) as unknown,
        },
      });
    receipt = null;
  });

  test('ends any other report, as 2xx does for every endpoint of the API', async () => {
    expect(await attempt(origin, null)).toMatchObject({ outcome: { kind: 'answered', status: 200 } });
  });
});

test('a collector that ignores tokens ends a report that spends one, too', async () => {
  const app = await temporaryCollector({});
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  expect((await attempt(origin, 'PrivateToken token="x"')).outcome).toMatchObject({ status: 200 });
  await app.close();
});

test('the collector proves that it has the report, also when it is sent again', async () => {
  const port = await freePort();
  const trial = new TokenTrial(3, `http://127.0.0.1:${port}`);
  const app = await temporaryCollector({ tokens: trial.options() });
  await app.listen({ port, host: '127.0.0.1' });
  const token = (await trial.signer())();
  for (const made of [await attempt(trial.collector, token), await attempt(trial.collector, token)])
    expect(made.outcome).toEqual({ kind: 'answered', status: 200, to: trial.collector + EVENT_LEVEL });
  expect(await attempt(trial.collector, 'PrivateToken token="x"')).toMatchObject({
    outcome: { status: 401 },
  });
  await app.close();
});
