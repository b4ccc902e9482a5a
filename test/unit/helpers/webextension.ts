import messages from '../../../extension/_locales/en/messages.json';

const session = new Map<string, unknown>();

type Listener = (details: never) => unknown;
const listeners = new Map<string, Listener[]>();

const event = (name: string): { readonly addListener: (listener: Listener) => void } => ({
  addListener: (listener) => void listeners.set(name, [...(listeners.get(name) ?? []), listener]),
});

/** Lets the browser tell of something. */
export function tell(name: string, details: unknown): void {
  for (const listener of listeners.get(name) ?? []) listener(details as never);
}

/** Ends the background, which keeps nothing but what is stored. */
export function endBackground(): void {
  listeners.clear();
}

/** Provides the browser's messages in English, its session storage, events that a test tells of, an address, and alarms that never ring. */
export default {
  i18n: {
    getUILanguage: (): string => 'en-US',
    getMessage: (name: string): string =>
      (messages as Record<string, { message: string } | undefined>)[name]?.message ?? '',
  },
  storage: {
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
    getAllFrames: (): Promise<readonly object[]> => Promise.resolve([]),
  },
  webRequest: {
    onBeforeRequest: event('beforeRequest'),
    onCompleted: event('completed'),
    onErrorOccurred: event('errorOccurred'),
  },
  runtime: {
    getURL: (path: string): string => `moz-extension://cointoss/${path}`,
    getManifest: (): object => ({ permissions: [] }),
  },
  tabs: {
    onRemoved: event('removed'),
    query: (): Promise<readonly object[]> => Promise.resolve([]),
  },
  alarms: {
    create: (): Promise<void> => Promise.resolve(),
    clear: (): Promise<boolean> => Promise.resolve(true),
  },
};
