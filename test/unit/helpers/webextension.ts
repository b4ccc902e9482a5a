import messages from '../../../extension/_locales/en/messages.json';

/** Provides the browser's messages in English, and alarms that never ring. */
export default {
  i18n: {
    getUILanguage: (): string => 'en-US',
    getMessage: (name: string): string =>
      (messages as Record<string, { message: string } | undefined>)[name]?.message ?? '',
  },
  alarms: {
    create: (): Promise<void> => Promise.resolve(),
    clear: (): Promise<boolean> => Promise.resolve(true),
  },
};
