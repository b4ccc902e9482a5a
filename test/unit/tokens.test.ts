import 'fake-indexeddb/auto';
import type { FastifyInstance } from 'fastify';
import browser from 'webextension-polyfill';
import { Clock } from '../../extension/background/state/clock';
import { Tokens } from '../../extension/background/tokens/tokens';
import { toBase64Url } from '../../formats/codec/base64-url';
import { IdbStore } from '../../extension/store/idb-store';
import type { DeliveryOutcome } from '../../src/model/records';
import { days, hours, type Origin } from '../../src/model/units';
import type { Trial } from '../../formats/settings/trial';
import { EVENT_LEVEL, freshReport, post } from './helpers/collector-client';
import { temporaryCollector } from './helpers/empty-store';
import { freePort, newTokenKey, TokenTrial } from './helpers/tokens';

let app: FastifyInstance;
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
afterAll(() => app.close());

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
    'The collector refuses to give tokens (status 403): the invitation code is not one of this trial',
  );
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

test('tokens that were fetched late are not spent at once', async () => {
  const life = await begin();
  await join(life);
  await life.clock.advance(days(20));
  const original = crypto.getRandomValues.bind(crypto);
  // As late as can be.
  jest
    .spyOn(crypto, 'getRandomValues')
    .mockImplementation((array) =>
      array instanceof Uint32Array ? array.fill(2 ** 32 - 1) : original(array),
    );
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
