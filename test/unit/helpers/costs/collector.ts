import { createCollector } from '../../../../collector/server';
import { emptyStore } from '../empty-store';
import { aggregatable, AGGREGATABLE, DEBUG, EVENT_LEVEL, freshReport, VERBOSE } from '../collector-client';
import { TokenTrial } from '../tokens';
import type { Cost } from './costs';
import { fewShapes } from './shapes';

/** The part of its description of itself that says what can be asked. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

const JSON_TYPE = 'application/json';
const LINES = 'application/x-ndjson';
/** More requests than are ever measured. */
const UNLIMITED = 1e9;

const row = (text: string): object => ({
  ...{ source_event_id: '7', reporting_origin: 'https://ads.example', time: '2026-01-31T12:00:00Z' },
  ...{ source_type: 'event', registration: { destination: 'https://shop.example' } },
  ...{ campaign: text, [text.slice(0, 60)]: text },
});

/** What is posted beside the text itself, by path. */
const bodies: Readonly<Record<string, (text: string) => readonly [type: string, body: string]>> = {
  [EVENT_LEVEL]: (text) => [JSON_TYPE, JSON.stringify(freshReport({ source_event_id: text, [text]: text }))],
  [DEBUG]: (text) => [JSON_TYPE, JSON.stringify(freshReport({ attribution_destination: text }))],
  [VERBOSE]: (text) => [JSON_TYPE, JSON.stringify([{ type: text, body: { [text]: text } }])],
  [AGGREGATABLE]: (text) => [
    JSON_TYPE,
    JSON.stringify({
      ...aggregatable,
      aggregation_service_payloads: [{ key_id: text, payload: text }],
      aggregation_coordinator_origin: text,
      shared_info: text,
    }),
  ],
  '/sources': (text) => [LINES, `${JSON.stringify(row(text))}\n${JSON.stringify(row('x'))}\n`],
};

/** A collector, with everything that can be asked of it, and where a text can be in that. */
export async function collectorCosts(): Promise<Readonly<Record<string, Cost>>> {
  const app = await createCollector({
    store: await emptyStore(),
    ...{ rateLimit: UNLIMITED, clientBudget: UNLIMITED, debugReports: true, rehearsal: true },
    tokens: { ...new TokenTrial().options(), required: false },
    truth: () => Promise.resolve([]),
    sourceLogToken: 's',
    token: 't',
  });
  await app.ready();
  const owner = { authorization: 'Bearer t', host: 'localhost' };
  const { paths } = (await app.inject({ url: '/openapi.json', headers: owner })).json<Description>();
  const costs: Record<string, Cost> = {};
  const add = (name: string, run: (text: string) => PromiseLike<unknown>): void => {
    // What `inject` returns is no promise.
    costs[`collector: ${name}`] = { run: async (text) => run(text), shapes: fewShapes };
  };
  for (const [path, { get, post }] of Object.entries(paths)) {
    for (const { name } of get?.parameters?.filter((one) => one.in === 'query') ?? [])
      add(`GET ${path}?${name}`, (text) =>
        app.inject({ url: path, query: { [name]: text }, headers: owner }),
      );
    if (get !== undefined)
      add(`GET ${path} with names and values`, (text) =>
        app.inject({ url: path, query: { [`is.${text}`]: text, [text]: text }, headers: owner }),
      );
    if (post === undefined) continue;
    // Browsers that send reports have no token of the owner.
    const headers = path.startsWith('/.well-known') ? { host: owner.host } : owner;
    const send = (type: string, payload: string): PromiseLike<unknown> =>
      app.inject({ method: 'POST', url: path, payload, headers: { ...headers, 'content-type': type } });
    for (const type of [JSON_TYPE, LINES, 'text/csv', 'application/x-www-form-urlencoded'])
      add(`POST ${path} as ${type}`, (text) => send(type, text));
    const body = bodies[path];
    if (body !== undefined) add(`POST ${path}`, (text) => send(...body(text)));
  }
  for (const name of ['authorization', 'cookie', 'accept-language', 'cointoss-report-url', 'host', 'accept'])
    add(`the header ${name}`, (text) =>
      Promise.all(
        ['/', '/reports', '/login'].map((url) => app.inject({ url, headers: { ...owner, [name]: text } })),
      ).then(() =>
        app.inject({
          ...{ method: 'POST', url: EVENT_LEVEL, payload: freshReport() },
          headers: { host: 'localhost', 'content-type': JSON_TYPE, [name]: text },
        }),
      ),
    );
  return costs;
}
