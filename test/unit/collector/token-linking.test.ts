import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createCollector } from '../../../collector/server';
import { openDatabase } from '../../../collector/store/open-database';
import { finishBatch } from '../../../extension/background/tokens/blind-batch';
import { readToken } from '../../../formats/tokens/token';
import { modulusOf } from '../../../formats/tokens/token-key';
import { EVENT_LEVEL, freshReport, post } from '../helpers/collector-client';
import { temporaryStore } from '../helpers/empty-store';
import { TokenTrial } from '../helpers/tokens';

const PARTICIPANTS = 4;
const BATCH = 3;

interface Issuance {
  readonly request: Readonly<Record<string, unknown>> & { readonly blinded: readonly string[] };
  readonly size: number;
  readonly signatures: readonly string[];
}

const trial = new TokenTrial(BATCH);
let store: Awaited<ReturnType<typeof temporaryStore>>;
let app: FastifyInstance;
/** All that the collector is told and answers when it gives tokens out, by participant. */
const issued: Issuance[] = [];
/** The headers of all requests that spent one. */
const spent: FastifyRequest['headers'][] = [];
let tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
let timed: readonly { readonly table_name: string; readonly column_name: string }[];

const number = (text: string): bigint => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base, exponent]; left > 0n; left >>= 1n, square = (square * square) % modulus)
    if (left & 1n) result = (result * square) % modulus;
  return result;
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value, modulus, 1n, 0n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return ((x % modulus) + modulus) % modulus;
}

beforeAll(async () => {
  store = await temporaryStore();
  app = await createCollector({ store: store.place, tokens: trial.options() });
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.url === EVENT_LEVEL) spent.push(request.headers);
    done();
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const tokens: string[] = [];
  for (let participant = 0; participant < PARTICIPANTS; participant++) {
    const device = trial.device(origin);
    const blind = await device.blind();
    const response = await device.ask(blind);
    const { signatures } = (await response.json()) as { readonly signatures: readonly string[] };
    const request = { member: device.member, blinded: blind.map(({ blinded }) => blinded) };
    const invitation = trial.codes.at(-1);
    issued.push({ request: { ...request, invitation }, size: JSON.stringify(request).length, signatures });
    tokens.push(...(await finishBatch(trial.keyText(), blind, signatures)));
  }
  for (const token of tokens)
    if (!(await post(origin + EVENT_LEVEL, freshReport(), { Authorization: token })).ok)
      throw new Error('a token was refused');
  await app.close();
  const database = await openDatabase(store.place, () => Promise.resolve());
  const names = ['members', 'token_batches', 'spent_tokens', 'reports'];
  const rows = names.map(
    async (name) => [name, await database.query<Record<string, unknown>>(`SELECT * FROM ${name}`)] as const,
  );
  tables = Object.fromEntries(await Promise.all(rows));
  timed = await database.query(
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_name IN ('members', 'token_batches', 'spent_tokens') AND data_type ~ 'time|date|serial|int'`,
  );
  await database.close();
});
afterAll(() => store.remove());

test('each token could come from each issuance: whoever signed them cannot tell whose they are', () => {
  const n = number(Buffer.from(modulusOf(trial.keyText()) ?? []).toString('base64url'));
  const e = 65_537n;
  const tokens = spent.map(({ authorization = '' }) => readToken(authorization));
  const signings = issued.flatMap(({ request: { blinded }, signatures }) =>
    blinded.map((text, index) => [number(text), number(signatures[index] ?? '')] as const),
  );
  expect([tokens.length, signings.length]).toEqual([PARTICIPANTS * BATCH, PARTICIPANTS * BATCH]);
  for (const token of tokens) {
    const signature = number(Buffer.from(token?.authenticator ?? []).toString('base64url'));
    const message = power(signature, e, n);
    for (const [blinded, blindSignature] of signings) {
      // The device may have drawn this blinding factor as well as any other.
      const factor = (blindSignature * inverse(signature, n)) % n;
      expect((message * power(factor, e, n)) % n).toBe(blinded);
    }
  }
});

test('nothing that the collector is told or answers at issuance comes back when a token is spent', () => {
  const said = JSON.stringify([spent, tables['spent_tokens'], tables['reports']]);
  for (const { request, signatures } of issued)
    for (const value of [request['member'], request['invitation'], ...request.blinded, ...signatures])
      expect(said).not.toContain(String(value));
  // Nor do their digests, by which the store knows them.
  for (const row of [...(tables['members'] ?? []), ...(tables['token_batches'] ?? [])])
    for (const [column, value] of Object.entries(row))
      if (column !== 'key_id') expect(said).not.toContain(String(value));
});

test('all participants have the same key, the same number of tokens, and requests of the same size', () => {
  expect(new Set((tables['token_batches'] ?? []).map((row) => row['key_id'])).size).toBe(1);
  expect(new Set((tables['spent_tokens'] ?? []).map((row) => row['key_id'])).size).toBe(1);
  expect(new Set(issued.map(({ size }) => size)).size).toBe(1);
  const headers = spent.map(({ authorization = '', ...others }) => [
    authorization.length,
    Object.keys(others),
  ]);
  expect(new Set(headers.map((of) => JSON.stringify(of))).size).toBe(1);
});

test('the database knows who got tokens and which report spent which, and no time of either', () => {
  expect(Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.length]))).toEqual({
    members: PARTICIPANTS,
    token_batches: PARTICIPANTS,
    spent_tokens: PARTICIPANTS * BATCH,
    reports: PARTICIPANTS * BATCH,
  });
  expect(timed).toEqual([]);
  expect(Object.keys(tables['spent_tokens']?.[0] ?? {}).sort()).toEqual(['key_id', 'nonce', 'used_for']);
});
