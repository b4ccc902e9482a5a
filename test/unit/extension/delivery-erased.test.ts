import 'fake-indexeddb/auto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { Clock } from '../../../extension/background/state/clock';
import { Delivery } from '../../../extension/background/deliver/delivery';
import { Erasing } from '../../../extension/background/record/erasing';
import { Participation } from '../../../extension/background/state/participation';
import { SettingsHolder } from '../../../extension/background/state/settings';
import { Tokens } from '../../../extension/background/tokens/tokens';
import { IdbStore } from '../../../extension/store/idb-store';
import type { StoredEngine } from '../../../transactions/stored-engine';
import type { RandomSource } from '../../../src/privacy/random-source';
import type { Json } from '../../../src/model/json';
import type { Report } from '../../../src/model/records';
import { after, moment, seconds, type Origin } from '../../../src/model/units';
import { randomFor } from '../../../cli/io/random';
import { temporaryCollector } from '../helpers/empty-store';
import {
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  START,
  triggerRegistration,
} from '../helpers/engine';
import { report } from '../helpers/rows';
import { freePort, TokenTrial } from '../helpers/tokens';

const browser = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? {};
beforeAll(() => {
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { onLine: true } });
});
afterAll(() => void Object.defineProperty(globalThis, 'navigator', browser));

interface Life {
  readonly store: IdbStore;
  readonly engine: StoredEngine;
  readonly delivery: Delivery;
  readonly erasing: Erasing;
  readonly tokens: Tokens;
}

let opened = 0;
const STOPPED = { kind: 'unreachable', error: 'stopped: the report is erased or changed' };

/** What sends, erases and keeps tokens, put together as in the background, for a person who agreed. */
async function begin(
  trial: Json = null,
  { replaceFiles = (): Promise<void> => Promise.resolve(), drawn = (): void => undefined } = {},
): Promise<Life> {
  const store = await IdbStore.open(`delivery-erased-${++opened}`);
  const clock = await Clock.load(store);
  const participation = await Participation.load(store, clock, () => Promise.resolve(null));
  await participation.setAgreement({ answer: 'accepted', time: 0, trial });
  const settings = await SettingsHolder.load(store, participation, true);
  const { engine } = newEngine({ store });
  const tokens = await Tokens.load(store, clock, () => participation.agreedTrial);
  const words = randomFor(undefined)(0);
  const random: RandomSource = {
    uint64: () => {
      drawn();
      return words.uint64();
    },
  };
  const delivery = new Delivery(engine, clock, settings, () => random, store, tokens);
  const erasing = new Erasing(store, {
    files: { merge: () => Promise.resolve(), replace: replaceFiles },
    stopReports: (erased) => delivery.stopErased(erased),
  });
  return { store, engine, delivery, erasing, tokens };
}

const put = ({ store }: Life, row: Report): Promise<void> =>
  store.write((tx) => {
    tx.table('reports').put(row);
  });

describe('a report that is under way when it is erased', () => {
  let server: Server;
  let asked: Promise<ServerResponse>;
  let url: string;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    asked = once(server, 'request').then(([, response]) => response as ServerResponse);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  test.each<[string, () => Promise<void>]>([
    ['', () => Promise.resolve()],
    [', also if the files cannot be replaced', () => Promise.reject(new Error('the disk is full'))],
  ])('is stopped%s', async (_what, replaceFiles) => {
    const life = await begin(null, { replaceFiles });
    const outcome = jest.spyOn(life.engine, 'recordAttempt');
    await put(life, { ...report(1, 0), url });
    const sent = life.delivery.run();
    const answer = await asked;
    await life.erasing.erase(null).catch(() => undefined);
    // One that was not stopped gets this answer.
    answer.end();
    await sent;
    expect(outcome.mock.calls.map(([, found]) => found)).toMatchObject([STOPPED]);
  });

  test('is stopped if the erasure changes it, and waits as it was changed', async () => {
    const life = await begin();
    const outcome = jest.spyOn(life.engine, 'recordAttempt');
    const specs = [{ trigger_data: [0], event_report_windows: { end_times: [3600] }, summary_buckets: [1] }];
    await life.engine.register(
      sourceRegistration({ trigger_specs: specs, max_event_level_reports: 1 }),
      conditions(),
    );
    for (const late of [1, 2])
      await life.engine.register(
        triggerRegistration(undefined, { time: after(START, seconds(late)) }),
        conditions(),
      );
    const [made] = await pendingReports(life.store);
    await put(life, { ...(made as Report), url, nextAttempt: moment(0) });
    const sent = life.delivery.run();
    const answer = await asked;
    const [from, to] = [after(START, seconds(1)), after(START, seconds(1))];
    await life.erasing.erase({ kind: 'time', from, to });
    answer.end();
    await sent;
    expect(outcome.mock.calls.map(([, found]) => found)).toMatchObject([STOPPED]);
    const [left] = await pendingReports(life.store);
    expect([made?.event?.triggerTime, left?.event?.triggerTime]).toEqual([from, after(START, seconds(2))]);
  });
});

describe('a report that waits while others of its site are sent', () => {
  const body = (number: number): Json => ({ report_id: `report ${number}` });

  test.each<[string, (life: Life, row: Report) => Promise<unknown>, Json[]]>([
    ['is sent as it is by then', (life, row) => put(life, { ...row, body: body(4) }), [body(4)]],
    ['is not sent if it was erased meanwhile', (life) => life.erasing.erase(null), []],
  ])('%s', async (_what, change, sent) => {
    const bodies: Json[] = [];
    const held: ServerResponse[] = [];
    const server = createServer((request, response) => {
      held.push(response);
      void json(request).then((found) => {
        bodies.push(found as Json);
        if (held.length > 2) response.end();
        if (held.length === 2) both();
      });
    }).listen(0, '127.0.0.1');
    let both = (): void => undefined;
    const full = new Promise<void>((resolve) => (both = resolve));
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report`;
    const life = await begin();
    // A reporting site gets two requests at a time.
    const rows = [1, 2, 3].map((number): Report => ({ ...report(number, 0), url, body: body(number) }));
    for (const row of rows) await put(life, row);
    const done = life.delivery.run();
    await full;
    const sentFirst = bodies.map((one) => JSON.stringify(one));
    await change(life, rows.find((row) => !sentFirst.includes(JSON.stringify(row.body))) as Report);
    for (const response of held) response.end();
    await done;
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    expect(bodies.slice(2)).toEqual(sent);
  });
});

describe('a report that is erased while it is sealed', () => {
  let app: FastifyInstance | undefined;
  afterEach(() => app?.close());

  test('takes no token', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}` as Origin;
    const trial = new TokenTrial(1, origin);
    const options = trial.options();
    app = await temporaryCollector({ tokens: options, rehearsal: true });
    await app.listen({ port, host: '127.0.0.1' });
    let stop = (): void => undefined;
    const life = await begin(trial.document, { drawn: () => stop() });
    await life.tokens.adopt(await life.tokens.enrol(options.trial, trial.invite()));
    const outcome = jest.spyOn(life.engine, 'recordAttempt');
    await put(life, {
      ...report(1, 0),
      kind: 'aggregatable',
      url: `${origin}/.well-known/attribution-reporting/report-aggregate-attribution`,
      body: { shared_info: '{}' },
      recipient: origin,
      aggregationKeys: [{ id: 'key', key: btoa('k'.repeat(32)) }],
      aggregatable: { contributions: [], filteringIdMaxBytes: 1 } as unknown as Report['aggregatable'],
    } as Report);
    // Sealing draws an ephemeral key.
    stop = () => life.delivery.stopErased([1]);
    await life.delivery.run();
    expect(outcome.mock.calls.map(([, found]) => found)).toMatchObject([STOPPED]);
    // The only one is left for another report.
    expect(await life.tokens.authorizationFor({ id: 2, recipient: origin })).not.toBeNull();
  });
});
