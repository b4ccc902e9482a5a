import type { FrameQuestion } from '../../../extension/content-messages';
import messages from '../../../extension/_locales/en.json';

const session = new Map<string, unknown>();

type Listener = (...details: never[]) => unknown;
type Filter = { readonly types?: readonly string[] } | undefined;
const listeners = new Map<string, Listener[]>();

interface Event {
  readonly addListener: (listener: Listener, filter?: Filter) => void;
  readonly removeListener: (listener: Listener) => void;
}

function event(name: string): Event {
  const filteredOf = new Map<Listener, Listener>();
  return {
    addListener: (listener, filter) => {
      const filtered: Listener = (...all: readonly unknown[]) =>
        isOfTypes(all[0], filter) ? listener(...(all as never[])) : undefined;
      filteredOf.set(listener, filtered);
      listeners.set(name, [...(listeners.get(name) ?? []), filtered]);
    },
    removeListener: (listener) => {
      const removed = filteredOf.get(listener);
      listeners.set(
        name,
        (listeners.get(name) ?? []).filter((one) => one !== removed),
      );
    },
  };
}

/** Of a request without a type, every listener is told. */
function isOfTypes(details: unknown, filter: Filter): boolean {
  const { type } = (details ?? {}) as { readonly type?: string };
  return type === undefined || filter?.types?.includes(type) !== false;
}

/** Lets the browser tell of something. */
export function tell(name: string, details: unknown): void {
  for (const listener of listeners.get(name) ?? []) listener(details as never);
}

/** As `tell`, for what the browser waits for. */
export const answersTo = (name: string, details: unknown): readonly unknown[] =>
  (listeners.get(name) ?? []).map((listener) => listener(details as never));

/** Sends a message to the background. @param sender who sends it, according to the browser */
export function ask(message: unknown, sender: unknown): Promise<unknown> {
  const [listener] = listeners.get('message') ?? [];
  return Promise.resolve(listener?.(message as never, sender as never));
}

type Answer = (question: FrameQuestion, documentId: string) => Promise<unknown>;
const noContentScript: Answer = () => Promise.reject(new Error('nobody is there'));
let answer = noContentScript;

/** Lets documents answer what the background asks them about their frames. */
export function answerQuestions(by: Answer = noContentScript): void {
  answer = by;
}

/** Ends the background, which keeps nothing but what is stored. */
export function endBackground(): void {
  listeners.clear();
}

const nothing = (): Promise<void> => Promise.resolve();

/**
 * Provides the browser's messages in English, its session storage, no other storage, events that a test tells of, an address, no tabs but
 * for what documents answer, no scripts, and alarms that never ring.
 */
export default {
  i18n: {
    getUILanguage: (): string => 'en-US',
    getMessage: (name: string): string => (messages as Record<string, string | undefined>)[name] ?? '',
  },
  storage: {
    managed: { get: (): Promise<object> => Promise.resolve({}), onChanged: event('managedChanged') },
    onChanged: event('storageChanged'),
    session: {
      get: (): Promise<Record<string, unknown>> => Promise.resolve(Object.fromEntries(session)),
      set: (items: Readonly<Record<string, unknown>>): Promise<void> => {
        for (const [name, value] of Object.entries(items)) session.set(name, value);
        return Promise.resolve();
      },
      remove: (names: readonly string[]): Promise<void> => {
        for (const name of names) session.delete(name);
        return Promise.resolve();
      },
      clear: (): Promise<void> => {
        session.clear();
        return Promise.resolve();
      },
    },
  },
  webNavigation: {
    onBeforeNavigate: event('beforeNavigate'),
    onCommitted: event('committed'),
    onCreatedNavigationTarget: event('createdNavigationTarget'),
    onErrorOccurred: event('navigationFailed'),
    getAllFrames: (): Promise<readonly object[]> => Promise.resolve([]),
  },
  webRequest: {
    onBeforeRequest: event('beforeRequest'),
    onBeforeSendHeaders: event('beforeSendHeaders'),
    onSendHeaders: event('sendHeaders'),
    onHeadersReceived: event('headersReceived'),
    onBeforeRedirect: event('beforeRedirect'),
    onCompleted: event('completed'),
    onErrorOccurred: event('errorOccurred'),
  },
  runtime: {
    id: 'cointoss',
    dynamicId: '8c5b2aa9-d7e0-4798-88ec-8f36625080ae',
    onMessage: event('message'),
    onConnect: event('connect'),
    onStartup: event('startup'),
    onInstalled: event('installed'),
    getPlatformInfo: (): Promise<object> => Promise.resolve({}),
    getURL: (path: string): string => `moz-extension://cointoss/${path}`,
    getManifest: (): object => ({ permissions: [] }),
  },
  tabs: {
    onRemoved: event('removed'),
    query: (): Promise<readonly object[]> => Promise.resolve([]),
    create: nothing,
    update: nothing,
    sendMessage: (
      _tabId: number,
      question: FrameQuestion,
      { documentId }: { readonly documentId: string },
    ): Promise<unknown> => answer(question, documentId),
  },
  declarativeNetRequest: {
    updateDynamicRules: nothing,
    updateSessionRules: nothing,
    getSessionRules: (): Promise<readonly object[]> => Promise.resolve([]),
  },
  action: { setBadgeBackgroundColor: nothing, setBadgeTextColor: nothing, setBadgeText: nothing },
  management: { getSelf: (): Promise<object> => Promise.resolve({ installType: 'normal' }) },
  scripting: {
    getRegisteredContentScripts: (): Promise<readonly object[]> => Promise.resolve([]),
    registerContentScripts: nothing,
  },
  alarms: {
    onAlarm: event('alarm'),
    get: (): Promise<undefined> => Promise.resolve(undefined),
    create: nothing,
    clear: (): Promise<boolean> => Promise.resolve(true),
  },
};
