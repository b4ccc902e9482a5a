import { speak } from './browser';
import { wantedLanguage } from './languages';

const messages = {
  en: () => import('../_locales/en/messages.json'),
  de: () => import('../_locales/de/messages.json'),
};

/** Words come first, because modules of the pages take theirs when they are loaded. */
async function start(): Promise<void> {
  const { language, locale } = wantedLanguage();
  speak((await messages[language]()).default, locale);
  const { show } = await import('./site');
  show();
  await navigator.serviceWorker.register('service-worker.js');
}

void start();
