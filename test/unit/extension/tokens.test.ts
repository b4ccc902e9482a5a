import 'fake-indexeddb/auto';
import type { FastifyInstance } from 'fastify';
import browser from 'webextension-polyfill';
import { Clock } from '../../../extension/background/state/clock';
import { Tokens } from '../../../extension/background/tokens/tokens';
import { toBase64Url } from '../../../formats/codec/base64-url';
import type { Wallet } from '../../../extension/background/tokens/wallet';
import { IdbStore } from '../../../extension/store/idb-store';
import type { DeliveryOutcome } from '../../../src/model/records';
import { days, hours, type Origin } from '../../../src/model/units';
import type { Trial } from '../../../formats/settings/trial';
import { EVENT_LEVEL, freshReport, post } from '../helpers/collector-client';
import { temporaryCollector } from '../helpers/empty-store';
import { freePort, newTokenKey, TokenTrial } from '../helpers/tokens';

let app: FastifyInstance | undefined;
let origin: string;
let trial: TokenTrial;
let read: Trial;
let opened = 0;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  trial = new TokenTrial(3, origin);
  read = trial.options().trial;
  app = await temporaryCollector({ tokens: trial.options(), rehearsal: true });
  await app.listen({ port, host: '127.0.0.1' });
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => app?.close());

interface Life {
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly store: IdbStore;
}

async function begin(name = `tokens-${++opened}`, agreed: () => Trial | null = () => read): Promise<Life> {
  const store = await IdbStore.open(name);
  const clock = await Clock.load(store);
  return { store, clock, tokens: await Tokens.load(store, clock, agreed) };
}

async function join(life: Life): Promise<void> {
  await life.tokens.adopt(await life.tokens.enrol(read, trial.invite()));
}

const to = (id: number): { readonly id: number; readonly recipient: Origin } => ({
  id,
  recipient: origin as Origin,
});

const answered = (status: number): DeliveryOutcome => ({ kind: 'answered', status, to: origin });

/** Lets times be drawn so, of 2 ** 32. */
function drawing(word: number): jest.SpyInstance {
  const original = crypto.getRandomValues.bind(crypto);
  return jest
    .spyOn(crypto, 'getRandomValues')
    .mockImplementation((array) => (array instanceof Uint32Array ? array.fill(word) : original(array)));
}

const send = async (token: string | null): Promise<number> =>
  (await post(origin + EVENT_LEVEL, freshReport(), token === null ? {} : { Authorization: token })).status;

test('each report spends a token that the collector takes, until all are spent', async () => {
  const { tokens } = await begin();
  expect(tokens.needsInvitation(read)).toBe(true);
  await join({ tokens } as Life);
  expect(tokens.needsInvitation(read)).toBe(false);
  const used = await Promise.all([1, 2, 3].map((id) => tokens.authorizationFor(to(id))));
  expect(new Set(used).size).toBe(3);
  for (const token of used) expect(await send(token)).toBe(200);
  await expect(tokens.authorizationFor(to(4))).rejects.toThrow(
    'waits for a token: those of this period are spent',
  );
  // Nobody else wants one.
  expect(await tokens.authorizationFor({ id: 5, recipient: 'https://other.example' as Origin })).toBeNull();
  expect(await tokens.authorizationFor({ id: 6 })).toBeNull();
});

test('a report keeps its token until it is taken, also in the next run of the background', async () => {
  const life = await begin('kept');
  await join(life);
  const token = await life.tokens.authorizationFor(to(1));
  await life.tokens.settle(1, { kind: 'unreachable', error: 'no answer' });
  await life.tokens.settle(1, answered(503));
  const { tokens } = await begin('kept');
  expect(await tokens.authorizationFor(to(1))).toBe(token);
  const other = await tokens.authorizationFor(to(2));
  expect(other).not.toBe(token);
  await tokens.settle(1, answered(200));
  // One that the collector refuses is spent, perhaps. No other report gets it, and this one gets another, once.
  await tokens.settle(2, answered(401));
  const last = await tokens.authorizationFor(to(2));
  expect([token, other]).not.toContain(last);
  await tokens.settle(2, answered(401));
  expect(await tokens.authorizationFor(to(2))).toBe(last);
  await expect(tokens.authorizationFor(to(3))).rejects.toThrow('are spent');
});

test('nothing is kept of an invitation that the collector refuses, and it can be corrected', async () => {
  const { tokens } = await begin();
  await expect(tokens.enrol(read, '')).rejects.toThrow('needs an invitation code');
  await expect(tokens.enrol(read, 'ABCDE-FGHJK-MNPQR-STVWX')).rejects.toThrow(
    'The collector does not know this invitation code.',
  );
  const used = trial.invite();
  await (await begin()).tokens.enrol(read, used);
  await expect(tokens.enrol(read, used)).rejects.toThrow('was used on another device');
  expect(await tokens.authorizationFor(to(1))).toBeNull();
  await join({ tokens } as Life);
  expect(await tokens.authorizationFor(to(1))).not.toBeNull();
});

test('an answer that was lost is asked for again, with the same tokens', async () => {
  const { fetch } = globalThis;
  const code = trial.invite();
  const life = await begin('lost');
  jest.spyOn(globalThis, 'fetch').mockImplementationOnce(async (...asked) => {
    await fetch(...asked);
    throw new TypeError('connection lost');
  });
  await expect(life.tokens.enrol(read, code)).rejects.toThrow('The collector does not answer');
  const { tokens } = await begin('lost');
  await tokens.adopt(await tokens.enrol(read, code));
  expect(await send(await tokens.authorizationFor(to(1)))).toBe(200);
});

test('a code whose tokens came, but not the agreement, is good again on the same device', async () => {
  const code = trial.invite();
  const life = await begin('interrupted');
  await life.tokens.enrol(read, code);
  // Joining erases what belongs to no trial. If the background is killed then, the next one does so.
  await life.tokens.erase();
  const { tokens } = await begin('interrupted');
  await tokens.adopt(await tokens.enrol(read, code));
  expect(await send(await tokens.authorizationFor(to(1)))).toBe(200);
});

test('whoever leaves while their code is exchanged keeps no tokens and does not join', async () => {
  const { fetch } = globalThis;
  const life = await begin();
  jest.spyOn(globalThis, 'fetch').mockImplementationOnce(async (...asked) => {
    await life.tokens.abandon();
    return fetch(...asked);
  });
  await expect(life.tokens.enrol(read, trial.invite())).rejects.toThrow('changed');
  expect(await life.store.getMeta('tokens')).toEqual({ wallet: null, enrolling: null });
});

test('a batch of another size is made anew', async () => {
  const code = trial.invite();
  const { tokens } = await begin();
  jest.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('down'));
  await expect(tokens.enrol(new TokenTrial(2, origin).options().trial, code)).rejects.toThrow('down');
  expect((await tokens.enrol(read, code))?.batches[0]?.free).toHaveLength(3);
});

test('a report that waits since an earlier version of the trial does not follow the tokens at once', async () => {
  const life = await begin();
  const latest = drawing(2 ** 32 - 1);
  await life.tokens.adopt(await life.tokens.enrol(read, trial.invite(), true));
  latest.mockRestore();
  await expect(life.tokens.authorizationFor(to(1))).rejects.toThrow('were only just fetched');
  await life.clock.advance(hours(1));
  expect(await life.tokens.authorizationFor(to(1))).not.toBeNull();
});

test('a collector whose store was restored from before it knew the device gives tokens all the same', async () => {
  const { fetch } = globalThis;
  const life = await begin();
  await join(life);
  const restored = await temporaryCollector({ tokens: trial.options(), rehearsal: true });
  const there = await restored.listen({ port: 0, host: '127.0.0.1' });
  await life.clock.advance(days(20));
  jest.spyOn(globalThis, 'fetch').mockImplementationOnce((_url, init) => fetch(`${there}/tokens`, init));
  await life.tokens.run();
  await restored.close();
  await life.clock.advance(hours(1));
  expect(await life.tokens.authorizationFor(to(1))).not.toBeNull();
});

test('no token is spent whose key a later version of the trial does not have', async () => {
  let agreed = read;
  const life = await begin(undefined, () => agreed);
  await join(life);
  const [first] = [await life.tokens.authorizationFor(to(1))];
  expect(first).not.toBeNull();
  agreed = new TokenTrial(3, origin, [newTokenKey(), newTokenKey(), newTokenKey()]).options().trial;
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const asked = life.tokens.run();
  for (const id of [1, 2])
    await expect(life.tokens.authorizationFor(to(id))).rejects.toThrow('could not be fetched yet');
  await asked;
});

test('a clock that was years ahead for a while costs no tokens', async () => {
  const life = await begin();
  await join(life);
  const token = await life.tokens.authorizationFor(to(1));
  await life.clock.advance(days(1000));
  await expect(life.tokens.authorizationFor(to(1))).rejects.toThrow('waits for a token');
  await life.tokens.run();
  await life.clock.reset();
  expect(await life.tokens.authorizationFor(to(1))).toBe(token);
});

test('what a clock that was ahead asked for in vain puts nothing off', async () => {
  const life = await begin();
  await join(life);
  await life.clock.advance(days(40));
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const fetching = jest.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('refused'));
  await life.tokens.run();
  expect(fetching).toHaveBeenCalledTimes(1);
  await life.clock.reset();
  await life.clock.advance(days(16));
  await life.tokens.run();
  await life.clock.advance(hours(1));
  expect(await life.tokens.authorizationFor(to(1))).not.toBeNull();
});

test('what was spent while a change of the trial was accepted stays spent', async () => {
  const life = await begin();
  await join(life);
  const wallet = await life.tokens.enrol(read, '');
  const token = await life.tokens.authorizationFor(to(1));
  await life.tokens.adopt(wallet);
  expect(await life.tokens.authorizationFor(to(2))).not.toBe(token);
});

test('a report whose token the disk could not take gets none until it has', async () => {
  const life = await begin('full');
  await join(life);
  jest.spyOn(life.store, 'setMeta').mockRejectedValueOnce(new Error('the disk is full'));
  await expect(life.tokens.authorizationFor(to(1))).rejects.toThrow('the disk is full');
  const token = await life.tokens.authorizationFor(to(1));
  const next = await begin('full');
  expect(await next.tokens.authorizationFor(to(2))).not.toBe(token);
  expect(await next.tokens.authorizationFor(to(1))).toBe(token);
});

test('a trial of another signer, with the same name and collector, has none of the tokens', async () => {
  const life = await begin();
  await join(life);
  const others: Trial = { ...read, signature: { publicKey: 'another', value: '' } };
  expect(life.tokens.needsInvitation(others)).toBe(true);
  await expect(life.tokens.enrol(others, '')).rejects.toThrow('needs an invitation code');
});

test('a key that is not in the signed trial signs nothing that the device keeps', async () => {
  const own = new TokenTrial(3, origin, [newTokenKey(), newTokenKey(), newTokenKey()]);
  // The collector’s key of this period is another: it would recognize whoever has tokens by it.
  const { trial: shown } = own.options();
  const { tokens } = await begin(undefined, () => shown);
  await expect(tokens.enrol(shown, trial.invite())).rejects.toThrow(
    'key_id must be the key of this period or of the next one',
  );
  const signatures = Array.from({ length: 3 }, () => toBase64Url(new Uint8Array(256).fill(1)));
  jest.spyOn(globalThis, 'fetch').mockResolvedValueOnce(Response.json({ signatures }));
  await expect(tokens.enrol(shown, trial.invite())).rejects.toThrow(
    'no tokens that are signed with the trial’s key',
  );
  expect(await tokens.authorizationFor(to(1))).toBeNull();
});

test('the next period has tokens of its own, fetched before, at a random time', async () => {
  const life = await begin();
  const { tokens, clock } = life;
  await join(life);
  const [first] = [await tokens.authorizationFor(to(1))];
  await clock.advance(days(13));
  await tokens.run();
  await clock.advance(days(2));
  // It was fetched at the latest when the period began. Then it is not spent at once.
  await tokens.run();
  await clock.advance(hours(1));
  const second = await tokens.authorizationFor(to(2));
  expect(second?.slice(0, 100)).not.toBe(first?.slice(0, 100));
  expect(await send(second)).toBe(200);
});

test('the tokens of each period after that are fetched at a random time of the one before, too', async () => {
  const life = await begin();
  const middle = drawing(2 ** 31);
  await join(life);
  await life.clock.advance(days(13));
  await life.tokens.run();
  middle.mockRestore();
  const { wallet } = (await life.store.getMeta('tokens')) as { readonly wallet: Wallet };
  const [, , next] = read.tokens?.periods ?? [];
  expect(wallet.batches.map(({ key }) => key)).toContain(next?.key);
  expect(wallet.renewAt).toBeGreaterThan(next?.from ?? NaN);
  expect(wallet.renewAt).toBeLessThan(next?.until ?? NaN);
});

test('tokens that were fetched late are not spent at once', async () => {
  const life = await begin();
  await join(life);
  await life.clock.advance(days(20));
  // As late as can be.
  drawing(2 ** 32 - 1);
  await expect(life.tokens.authorizationFor(to(1))).rejects.toThrow('could not be fetched yet');
  await life.tokens.run();
  jest.restoreAllMocks();
  await expect(life.tokens.authorizationFor(to(1))).rejects.toThrow('were only just fetched');
  await life.clock.advance(hours(1));
  expect(await life.tokens.authorizationFor(to(1))).not.toBeNull();
});

test('nothing is left after the end of the participation', async () => {
  const life = await begin();
  await join(life);
  await life.tokens.erase();
  expect(await life.store.getMeta('tokens')).toEqual({ wallet: null, enrolling: null });
  expect(life.tokens.needsInvitation(read)).toBe(true);
});

test('it wakes when there may be something to fetch, after a failure not at once, and never after the end', async () => {
  const life = await begin();
  const { tokens, clock } = life;
  await join(life);
  const set = jest.spyOn(browser.alarms, 'create');
  await tokens.run();
  const [, first] = (set.mock.lastCall ?? []) as unknown as [string, { when: number }];
  expect(first.when).toBeGreaterThan(Date.now());
  await clock.advance(days(20));
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('down'));
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  await tokens.run();
  await tokens.run();
  expect(globalThis.fetch).toHaveBeenCalledTimes(1);
  const [, again] = (set.mock.lastCall ?? []) as unknown as [string, { when: number }];
  // The alarm rings by the device's clock.
  expect(Math.abs(again.when - Date.now() - 15 * 60_000)).toBeLessThan(60_000);
  jest.restoreAllMocks();
  await clock.advance(days(100));
  const [sets, clears] = [jest.spyOn(browser.alarms, 'create'), jest.spyOn(browser.alarms, 'clear')];
  await tokens.run();
  expect(sets).not.toHaveBeenCalled();
  expect(clears).toHaveBeenCalledTimes(1);
});
