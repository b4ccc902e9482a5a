import './as-extension';
import 'fake-indexeddb/auto';
import { REQUESTS_PORT } from '../../../../extension/request-events';
import { withMark } from '../../../../extension/eligibility-mark';
import { sealFor, sealKeyOf } from '../../../../extension/seal';
import { toJson } from '../../../../formats/codec/plain-json';
import fake, { answerQuestions, ask, tell } from '../webextension';
import type { JsonObject } from '../../../../src/model/json';
import { Researcher } from '../trial-key';
import type { Cost } from './costs';
import { fewShapes, repeated } from './shapes';

const NEWS = 'https://news.example';
const SHOP = 'https://shop.example';
const AD = 'https://ads.example/ad';
const OWN_PAGE = { id: fake.runtime.id, url: fake.runtime.getURL('pages/options.html') };
const TAB = 1;

const rule = {
  id: 'thanks',
  matches: ['*://*.shop.example/*a*b', `${NEWS}/*`],
  selector: 'a',
  on: 'visit',
  register: 'trigger',
  reportingOrigin: 'https://ads.example',
  registration: { event_trigger_data: [{ value: { $extract: { as: 'money' } } }] },
};

/** What servers answer to the background's own requests. */
let answer = (): Response => new Response();
let ids = 0;

const ofOwnPage = (message: object): Promise<unknown> => ask(message, OWN_PAGE);

/** Resolves once the background has done what it does at once. */
async function settled(): Promise<void> {
  await ofOwnPage({ kind: 'list', table: 'log', limit: 1 });
  await new Promise((resolve) => setTimeout(resolve));
}

function shown(url: string, documentId: string, frameId = 0, tabId = TAB): void {
  const frame = { tabId, frameId, parentFrameId: frameId === 0 ? -1 : 0, url, timeStamp: Date.now() };
  const around = frameId === 0 ? {} : { parentDocumentId: 'page' };
  tell('beforeNavigate', { ...frame, ...around });
  tell('committed', { ...frame, ...around, documentId, transitionQualifiers: ['forward_back'] });
  tell('navigationFailed', { ...frame, error: url });
}

/** A request, its redirect to itself, and its answer. */
function requested(url: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): void {
  const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const request = {
    ...{ requestId: `r${ids++}`, tabId: TAB, frameId: 0, parentFrameId: -1, method: 'POST', url },
    ...{ type: 'xmlhttprequest', documentId: 'page', initiator: NEWS, timeStamp: Date.now() },
    requestHeaders: [...responseHeaders, { name: 'Origin', value: url }],
    ...more,
  };
  const location = { name: 'Location', value: url };
  tell('beforeRequest', request);
  tell('beforeSendHeaders', request);
  tell('sendHeaders', request);
  tell('sendHeaders', { ...request, type: 'other' });
  tell('headersReceived', { ...request, statusCode: 302, responseHeaders: [...responseHeaders, location] });
  tell('beforeRedirect', request);
  tell('headersReceived', { ...request, statusCode: 200, responseHeaders });
  tell('errorOccurred', { ...request, error: url });
}

const source = JSON.stringify({ destination: SHOP, source_event_id: '1' });
const REGISTERS = { 'Attribution-Reporting-Register-Source': source };

/** As browsers write it; its host is the text, if it can be. */
function urlOf(text: string): string {
  if (URL.canParse(text)) return new URL(text).href;
  return URL.canParse(`https://${text}`) ? new URL(`https://${text}`).href : `${AD}?${text}#${text}`;
}

const MESSAGES_OF_TAB = 300;
let sent = 0;

/** From a tab that has not sent too many. */
function ofPage(message: object, more: object = {}): Promise<unknown> {
  const id = 1000 + Math.floor(sent++ / MESSAGES_OF_TAB);
  const documentId = `page ${id}`;
  if (sent % MESSAGES_OF_TAB === 1) shown(`${NEWS}/`, documentId, 0, id);
  const sender = { id: fake.runtime.id, url: `${NEWS}/`, origin: NEWS, frameId: 0, documentId, tab: { id } };
  return ask(message, { ...sender, ...more });
}

const researcher = new Researcher();

const trialOf = (text: string): object => ({
  id: 'recall',
  title: { en: text },
  researcher: { name: text, contact: text },
  information: { en: text },
  settings: { rules: [{ ...rule, id: text }], collector: urlOf(text) },
});

/** Waits for its turn. Its texts are `a page's text`. */
const PACED = 'messages: rule-met';

/** What the browser tells of pages, servers, policies, by where the text is in it. */
const told: Readonly<Record<string, (text: string) => unknown>> = {
  'the URL of a page and its frame': (text) => {
    shown(urlOf(text), `d${ids++}`);
    shown(`${NEWS}/`, 'page');
    shown(urlOf(text), `f${ids++}`, 7);
  },
  'the URL of a request': (text) => requested(urlOf(text), {}, REGISTERS),
  'the URL of an image': (text) => requested(urlOf(text), { type: 'image' }, REGISTERS),
  'the URL of a navigation': (text) => {
    tell('createdNavigationTarget', { tabId: 2, sourceTabId: TAB, url: urlOf(text) });
    requested(urlOf(text), { type: 'main_frame', tabId: 2 }, REGISTERS);
  },
  "the URL of a worker's request": (text) => requested(urlOf(text), { tabId: -1 }, REGISTERS),
  'the maker of a request': (text) =>
    requested(AD, { initiator: text, documentUrl: text, originUrl: text, tabId: -1 }, REGISTERS),
  'a name of a header': (text) =>
    requested(AD, {}, { [`attribution-reporting-${text}`]: text, [text]: text }),
  'a name like that of a header': (text) =>
    requested(AD, {}, { [`attribution-reporting-register-sourc${text.slice(0, 9)}`]: text }),
  'a marked URL': (text) => {
    const seal = sealFor(sealKeyOf(fake.runtime), NEWS, 7n);
    requested(withMark(`${AD}?${text}`, { seal, eligibility: 'event-source' }), {}, REGISTERS);
  },
  'registration headers': (text) =>
    requested(
      AD,
      {},
      {
        ...{ 'Attribution-Reporting-Register-Source': text, 'Attribution-Reporting-Register-Trigger': text },
        'Attribution-Reporting-Info': text,
      },
    ),
  'registration headers with long names': (text) =>
    requested(
      AD,
      {},
      {
        'Attribution-Reporting-Register-Source': JSON.stringify({
          ...{ destination: SHOP, source_event_id: text, [text]: text, debug_key: text },
          filter_data: { [text.slice(0, 20)]: [text.slice(0, 20)] },
        }),
      },
    ),
  'a policy': (text) =>
    requested(`${NEWS}/`, { type: 'sub_frame' }, { 'Permissions-Policy': `attribution-reporting=${text}` }),
  "a worker's policy": (text) => requested(`${NEWS}/`, { tabId: -1 }, { 'Permissions-Policy': text }),
  'a tab that is closed': (text) => {
    shown(urlOf(text), `t${ids++}`, 0, 9);
    requested(urlOf(text), { tabId: 9 }, REGISTERS);
    tell('removed', 9);
  },
  'answers about frames': (text) => {
    answerQuestions(() =>
      Promise.resolve([[{ allow: `attribution-reporting ${text}`, src: urlOf(text) }], []]),
    );
    shown('https://frame.example/', `f${ids++}`, 8);
  },
  ...Object.fromEntries(
    (
      [
        ['eligible-request', (url) => ({ url, getsRule: true })],
        ['eligible-fetch', (url) => ({ url, eligibility: 'event-source' })],
        ['link-pressed', (url) => ({ url })],
        ['navigation', (url) => ({ url, sources: [url], press: 1, time: Date.now(), inMenu: false })],
        ['ineligible-click', (url) => ({ url, lack: 'attribute', time: Date.now(), inMenu: false })],
        ['attributionsrc', (url) => ({ urls: [url] })],
        ['trial-link', (url) => ({ url })],
        ['rule-met', (_, text) => ({ ruleId: 'thanks', values: [text] })],
      ] as readonly [string, (url: string, text: string) => object][]
    ).map(([kind, of]) => [
      `messages: ${kind}`,
      // What is longer is refused.
      (text: string) => ofPage({ kind, ...of(urlOf(text).slice(0, 8192), text.slice(0, 2000)) }),
    ]),
  ),
  'the sender of a message': (text) => ofPage({ kind: 'rules' }, { url: urlOf(text), origin: text }),
  'a header that a page of Cointoss registers': (text) =>
    ofOwnPage({
      ...{ kind: 'register', register: 'event', header: text },
      ...{ contextOrigin: NEWS, reportingOrigin: 'https://ads.example' },
    }),
  'answers to own requests': (text) => {
    answer = () => new Response(text, { status: 200, headers: { Location: encodeURI(text.slice(0, 4000)) } });
    return ofPage({ kind: 'attributionsrc', urls: [`${AD}?${ids++}`] });
  },
  'a trial behind a link': async (text) => {
    const trial = await researcher.sign(trialOf(text) as JsonObject);
    answer = () => new Response(JSON.stringify(trial));
    return ofOwnPage({ kind: 'look-at-trial', link: 'https://uni.example/trial.json' }).catch(() => null);
  },
  'a trial in a file': (text) =>
    ofOwnPage({ kind: 'offer-trial', trial: toJson(trialOf(text)) }).catch(() => null),
};

/** In ms. What runs later would run or not, as quick as the machine is, and does not run here. */
const SOON = 1000;

function stopLateTimers(): void {
  const { setTimeout: start } = globalThis;
  const soon = (act: () => void, time = 0): NodeJS.Timeout =>
    time > SOON ? start(() => undefined, 0) : start(act, time);
  globalThis.setTimeout = soon as typeof setTimeout;
}

/** Starts the background of a person who agreed, and lets the browser tell it what grows. */
export async function backgroundCosts(): Promise<Readonly<Record<string, Cost>>> {
  globalThis.fetch = (url) => {
    // As the browser tells of the background's own requests.
    requested(url as string, { initiator: new URL(OWN_PAGE.url).origin, tabId: -1 }, REGISTERS);
    return Promise.resolve(answer());
  };
  Object.assign(globalThis, {
    BroadcastChannel: class {
      postMessage(): void {}
    },
  });
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { onLine: true } });
  fake.runtime.getManifest = () => ({ permissions: ['webRequestBlocking'] });
  stopLateTimers();
  await import('../../../../extension/background/main');
  await ofOwnPage({ kind: 'accept', trial: null });
  await ofOwnPage({ kind: 'set-settings', settings: { debug: { enabled: true }, rules: [rule] } });
  const event = { addListener: () => undefined };
  tell('connect', {
    ...{ name: REQUESTS_PORT, sender: OWN_PAGE, postMessage: () => undefined },
    ...{ onMessage: event, onDisconnect: event },
  });
  shown(`${NEWS}/`, 'page');
  await settled();
  return Object.fromEntries(
    Object.entries(told).map(([name, tellOf]) => [
      `background: ${name}`,
      {
        run: async (text: string) => {
          await tellOf(text);
          await settled();
        },
        shapes:
          name === PACED
            ? { letters: repeated('a'), digits: repeated('9'), marks: repeated('.,') }
            : fewShapes,
      },
    ]),
  );
}
