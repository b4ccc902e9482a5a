import type * as nodeCrypto from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { challengeOf } from '../../../formats/tokens/token';
import type { CollectorOptions } from '../../../collector/options';
import { toBase64Url } from '../../../formats/codec/base64-url';
import { issuanceRefusals } from '../../../formats/tokens/issuance';
import {
  AGGREGATABLE,
  aggregatable,
  EVENT_LEVEL,
  freshReport,
  linesAt,
  metric,
  post,
  VERBOSE,
} from '../helpers/collector-client';
import { idsAt } from '../helpers/collector-load';
import { temporaryCollector } from '../helpers/empty-store';
import { newTokenKey, TokenTrial, type TokenDevice } from '../helpers/tokens';

const open: FastifyInstance[] = [];
afterAll(() => Promise.all(open.map((app) => app.close())));

async function start(options: Partial<CollectorOptions>): Promise<string> {
  const app = await temporaryCollector(options);
  open.push(app);
  return app.listen({ port: 0, host: '127.0.0.1' });
}

const trial = new TokenTrial();
let origin: string;
beforeAll(async () => (origin = await start({ tokens: trial.options() })));

const send = (body: object, token?: string, path = EVENT_LEVEL): Promise<Response> =>
  post(origin + path, body, token === undefined ? {} : { Authorization: token });

test('a report without a token is refused, and the answer says which token it needs', async () => {
  const response = await send(freshReport());
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({
    path: 'Authorization',
    error: expect.stringContaining('must spend a token') as unknown,
  });
  const challenge = Buffer.from(await challengeOf(trial.collector, 'with-tokens')).toString('base64');
  expect(response.headers.get('www-authenticate')).toBe(
    `PrivateToken challenge="${challenge.replaceAll('+', '-').replaceAll('/', '_')}", token-key="${trial.keyText()}"`,
  );
});

test('a token is good for one report, which may be sent again', async () => {
  const [first = '', second = ''] = await trial.device(origin).tokens();
  const [report, other] = [freshReport(), freshReport()];
  expect((await send(report, first)).status).toBe(200);
  expect((await send(report, first)).status).toBe(200);
  const refused = await send(other, first);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toMatch(/^PrivateToken /);
  expect(await refused.json()).toMatchObject({
    error: expect.stringContaining('another report has spent the token') as unknown,
  });
  expect((await send(other, second)).status).toBe(200);
  const stored = await idsAt(origin);
  expect(stored.filter((id) => id === report.report_id)).toHaveLength(1);
  expect(stored.filter((id) => id === other.report_id)).toHaveLength(1);
});

test('a token is not spent by a report that is refused', async () => {
  const [token = ''] = await trial.device(origin).tokens();
  expect((await send({ no: 'report' }, token)).status).toBe(400);
  expect((await send(freshReport(), token)).status).toBe(200);
});

test('an aggregatable report that is sealed anew may be sent again with its token', async () => {
  const [token = ''] = await trial.device(origin).tokens();
  const header = { Authorization: token, 'Cointoss-Report-Url': `https://ads.example${AGGREGATABLE}` };
  const again = { ...aggregatable, aggregation_service_payloads: [{ key_id: 'a', payload: 'AwQF' }] };
  expect((await post(origin + AGGREGATABLE, aggregatable, header)).status).toBe(200);
  expect((await post(origin + AGGREGATABLE, again, header)).status).toBe(200);
});

test('a verbose debug report, which has no id, is stored once for its token', async () => {
  const debug = await start({ tokens: trial.options(), debugReports: true });
  const [Authorization = ''] = await trial.device(debug).tokens();
  const body = [{ type: 'source-success', body: {} }];
  for (let times = 0; times < 3; times++)
    expect((await post(debug + VERBOSE, body, { Authorization })).status).toBe(200);
  expect((await linesAt(`${debug}/reports?format=ndjson&kind=verbose-debug`)).length).toBe(1);
  expect((await post(debug + VERBOSE, [...body, ...body], { Authorization })).status).toBe(401);
});

test('tokens of other keys, other trials, other periods or of nobody are refused', async () => {
  const [before, , after] = trial.privateKeys as readonly [KeyObject, KeyObject, KeyObject];
  const stranger = new TokenTrial(3, trial.collector, [before, newTokenKey(), after]);
  const elsewhere = new TokenTrial(3, 'https://elsewhere.example');
  const [strangers, elsewheres] = await Promise.all(
    [stranger, elsewhere].map((other) => start({ tokens: other.options() })),
  );
  const forged = [
    ...(await stranger.device(strangers ?? '').tokens()).slice(0, 1),
    ...(await elsewhere.device(elsewheres ?? '').tokens()).slice(0, 1),
    // Of the next period, which is signed already.
    ...(await trial.device(origin).tokens(2)).slice(0, 1),
    `PrivateToken token="${toBase64Url(new Uint8Array(354))}"`,
    'Bearer abc',
  ];
  for (const [index, error] of [
    'was signed with a key that is not in the trial',
    'is for another trial or another collector',
    'is for a period that is not now',
    'must be PrivateToken with a token of type 2',
    'must be PrivateToken with a token of type 2',
  ].entries()) {
    const response = await send(freshReport(), forged[index]);
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      401,
      expect.stringContaining(error),
    ]);
  }
  const [token = ''] = await trial.device(origin).tokens();
  const changed = token.replace(/.{4}"$/, (end) => (end.startsWith('AAAA') ? 'BBBB"' : 'AAAA"'));
  expect(await (await send(freshReport(), changed)).json()).toMatchObject({
    error: expect.stringContaining('signature that is not valid') as unknown,
  });
});

test('an invitation is good for one device, and each period is given out once', async () => {
  const code = trial.invite();
  const device = trial.device(origin, code);
  const blind = await device.blind();
  const [first, again] = [await device.ask(blind), await device.ask(blind)];
  expect([first.status, again.status]).toEqual([200, 200]);
  // The answer may have been lost.
  expect(await again.json()).toEqual(await first.json());
  const other = await device.ask(await device.blind());
  expect([other.status, await other.json()]).toEqual([
    403,
    {
      error: 'the tokens of this period were given out already',
      path: 'invitation',
      reason: 'tokens-issued',
    },
  ]);
  // Its next period needs no code.
  expect((await device.ask(await device.blind(2), 2, { invitation: undefined })).status).toBe(200);
  const second = await trial.device(origin, code).ask(blind);
  expect([second.status, await second.json()]).toMatchObject([
    403,
    { error: 'the invitation code was used on another device or in an earlier participation' },
  ]);
  // As a person may type it.
  const typed = trial.device(origin, trial.invite().toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o'));
  expect((await typed.ask(blind)).status).toBe(200);
});

test('one batch is signed at a time, and a request that is repeated meanwhile takes no turn', async () => {
  const big = new TokenTrial(30);
  const there = await start({ tokens: big.options() });
  const [device, other] = [big.device(there), big.device(there)];
  const blind = await device.blind();
  const texts = blind.map(({ blinded }) => blinded);
  const signed = jest.spyOn(jest.requireActual<typeof nodeCrypto>('node:crypto'), 'privateDecrypt');
  const ask = async (by: TokenDevice): Promise<unknown> => (await by.ask(blind)).json();
  const answers = await Promise.all(Array.from({ length: 8 }, () => [ask(device), ask(other)]).flat());
  const order = signed.mock.calls.map(([, text]) => toBase64Url(text as Uint8Array));
  signed.mockRestore();
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(order.length).toBeLessThan(answers.length * texts.length);
  // Side by side, those of the second would come between.
  for (let start = 0; start < order.length; start += texts.length)
    expect(order.slice(start, start + texts.length)).toEqual(texts);
});

test('a class enrols at once from one address, and a device that asks again and again has to wait', async () => {
  const small = new TokenTrial(1);
  const there = await start({ tokens: small.options() });
  const blind = await small.device(there).blind();
  const pupils = Array.from({ length: 30 }, () => small.device(there));
  const answers = await Promise.all(pupils.map((pupil) => pupil.ask(blind)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const [first] = pupils;
  const statuses: (number | undefined)[] = [];
  for (let time = 2; time <= 22; time++) statuses.push((await first?.ask(blind))?.status);
  expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 429, 429]);
});

test('nobody gets tokens without an invitation, more than a batch, or those of a later period', async () => {
  const device = trial.device(origin);
  const blind = await device.blind();
  const stranger = trial.device(origin, 'ABCDE-FGHJK-MNPQR-STVWX');
  const answers = [
    [await stranger.ask(blind), 403, 'the invitation code is not one of this trial'],
    [await trial.device(origin, null).ask(blind), 403, 'the invitation code is not one of this trial'],
    [
      await trial.device(origin, 'hello').ask(blind),
      403,
      'the invitation code must have 20 digits and letters',
    ],
    [await device.ask([...blind, ...blind]), 400, 'blinded must have 3 items, the trial’s batch, had 6'],
    [await device.ask(blind, 3), 400, 'key_id must be the key of this period or of the next one'],
    [await device.ask(blind, 1, { blinded: ['abc', 'abc', 'abc'] }), 400, 'Base64 for URLs'],
    [
      await device.ask(blind, 1, { blinded: Array.from({ length: 3 }, () => '_'.repeat(342)) }),
      400,
      'smaller than the modulus',
    ],
  ] as const;
  for (const [response, status, error] of answers)
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      status,
      expect.stringContaining(error),
    ]);
});

test('a withdrawn invitation gets no more tokens', async () => {
  const device = trial.device(origin);
  expect((await device.ask(await device.blind())).status).toBe(200);
  trial.digests.delete([...trial.digests].at(-1) ?? '');
  expect(await (await device.ask(await device.blind(2), 2, { invitation: undefined })).json()).toMatchObject({
    error: 'the invitation was withdrawn by the operator',
  });
});

test('with optional tokens, a report may have none, but no wrong one; without tokens, they are ignored', async () => {
  const optional = await start({ tokens: trial.options(false) });
  expect((await post(optional + EVENT_LEVEL, freshReport())).status).toBe(200);
  expect(
    (await post(optional + EVENT_LEVEL, freshReport(), { Authorization: 'PrivateToken x' })).status,
  ).toBe(401);
  const off = await start({});
  expect((await post(off + EVENT_LEVEL, freshReport(), { Authorization: 'PrivateToken x' })).status).toBe(
    200,
  );
  expect((await post(`${off}/tokens`, {})).status).toBe(404);
});

test('refusals are counted by their reason', async () => {
  const counts = await metric(origin, 'cointoss_refused_total');
  for (const reason of ['token-missing', 'token-invalid', 'token-spent', 'tokens', ...issuanceRefusals])
    expect(counts[`reason="${reason}"`]).toBeGreaterThan(0);
});
