import type { FunctionComponent } from 'preact';
import german from '../../../extension/_locales/de.json';
import type { Language } from './shown-numbers';

/* Parts of pages as HTML, in a language. */

type Render = (properties: object) => string;

const rendered = new Map<string, Promise<Render>>();

/** Pages read their language when they are loaded. @param name that no other part has */
async function partOf(
  name: string,
  load: () => Promise<FunctionComponent<never>>,
  language: Language,
): Promise<Render> {
  const key = `${name} ${language}`;
  const known = rendered.get(key) ?? loaded(load, language);
  rendered.set(key, known);
  return known;
}

async function loaded(load: () => Promise<FunctionComponent<never>>, language: Language): Promise<Render> {
  const renders: Render[] = [];
  await jest.isolateModulesAsync(async () => {
    const { default: browser } = await import('webextension-polyfill');
    const speak = (): void => {
      if (language !== 'de') return;
      jest.spyOn(browser.i18n, 'getUILanguage').mockReturnValue('de');
      jest
        .spyOn(browser.i18n, 'getMessage')
        .mockImplementation((message) => (german as Record<string, string>)[message] ?? '');
    };
    speak();
    const { h } = await import('preact');
    const { default: toHtml } = await import('preact-render-to-string');
    const part = (await load()) as FunctionComponent<object>;
    renders.push((properties) => {
      speak();
      return toHtml(h(part, properties));
    });
  });
  const [render] = renders;
  if (render === undefined) throw new Error('the page did not load');
  return render;
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('\u00a0', ' ');

/** The cells of a table's rows. */
function tableIn(html: string, id: string): readonly (readonly string[])[] {
  const [table = ''] = new RegExp(`<table[^>]*id="${id}".*?</table>`, 's').exec(html) ?? [];
  return [...table.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][ >].*?<\/t[hd]>/gs)].map(([cell]) => textOf(cell)),
  );
}

const parts = {
  ranking: async () => (await import('../../../collector/dashboard/client/campaign-table')).CampaignTable,
  groups: async () => (await import('../../../collector/dashboard/client/group-table')).GroupTable,
  reached: async () => (await import('../../../collector/dashboard/client/reach-table')).ReachTable,
  totals: async () => (await import('../../../extension/site/totals-card')).TotalsCard,
};

/** The cells of the rows of a table of the dashboard, or of the lab's campaigns. */
export async function pageTable(
  id: keyof typeof parts,
  language: Language,
  properties: object,
): Promise<readonly (readonly string[])[]> {
  Object.assign(globalThis, {
    document: { documentElement: { lang: language } },
    navigator: { languages: [language] },
  });
  return tableIn((await partOf(id, parts[id], language))(properties), id);
}
