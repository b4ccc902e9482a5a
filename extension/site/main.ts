import { speak } from './browser';
import { parseRoute } from '../pages/state/route';
import { wantedLanguage } from './languages';

const messages = {
  en: () => import('../_locales/en.json'),
  de: () => import('../_locales/de.json'),
};

/** The build puts this before the script: the files that each view loads. */
declare const filesOf: Readonly<Record<string, readonly string[]>>;

/** Asks at once for the view that the page opens with, which is run later. */
function askForView(): void {
  const [view] = parseRoute(location.hash).path;
  for (const [, files] of Object.entries(filesOf).filter(([name]) => name === view))
    for (const file of files) {
      const link = document.createElement('link');
      Object.assign(link, { rel: 'preload', as: 'script', href: file });
      document.head.append(link);
    }
}

/** Words come first, because modules of the pages take theirs when they are loaded. */
async function start(): Promise<void> {
  askForView();
  const { language, locale } = wantedLanguage();
  const words = messages[language]();
  // Chrome looks through its data of all languages when it is first asked about numbers: now, while the files are on their way.
  Intl.NumberFormat.supportedLocalesOf(locale);
  speak((await words).default, locale);
  const { show } = await import(/* webpackChunkName: "site" */ './site');
  await show();
  // Keeping all files for later must not delay the first view. Safari cannot wait for idleness.
  setTimeout(() => void navigator.serviceWorker.register('service-worker.js'), 1000);
}

void start();
