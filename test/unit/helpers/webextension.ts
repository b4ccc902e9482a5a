import messages from '../../../extension/_locales/en/messages.json';

/** Provides the browser's messages in English, which is all that the pages' pure parts need from it. */
export default {
  i18n: {
    getUILanguage: (): string => 'en-US',
    getMessage: (name: string): string =>
      (messages as Record<string, { message: string } | undefined>)[name]?.message ?? '',
  },
};
