import messages from '../../../extension/_locales/en/messages.json';

const session = new Map<string, unknown>();

/** Provides the browser's messages in English, its session storage, and alarms that never ring. */
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
  alarms: {
    create: (): Promise<void> => Promise.resolve(),
    clear: (): Promise<boolean> => Promise.resolve(true),
  },
};
