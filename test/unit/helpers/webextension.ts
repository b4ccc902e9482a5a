import messages from '../../../extension/_locales/en/messages.json';

/** What the pages' pure parts take from the browser: its messages, read as an English one would. */
export default {
  i18n: {
    getUILanguage: (): string => 'en-US',
    getMessage: (name: string): string =>
      (messages as Record<string, { message: string } | undefined>)[name]?.message ?? '',
  },
};
