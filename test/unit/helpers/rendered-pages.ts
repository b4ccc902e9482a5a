import type { FunctionComponent } from 'preact';
import type { GroupJson } from '../../../analysis/estimate/result/group-result';
import type { ShownQuantity } from '../../../collector/dashboard/client/address';
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

/** The cells of a table's rows. @param id of the table; null: of all tables */
export function tableIn(html: string, id: string | null): readonly (readonly string[])[] {
  const tables = [...html.matchAll(/<table([^>]*)>.*?<\/table>/gs)].filter(
    ([, about = '']) => id === null || about.includes(`id="${id}"`),
  );
  return tables.flatMap(([table]) =>
    [...table.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<t[hd][ >].*?<\/t[hd]>/gs)].map(([cell]) => textOf(cell)),
    ),
  );
}

const parts = {
  ranking: async () => (await import('../../../collector/dashboard/client/campaign-table')).CampaignTable,
  groups: async () => (await import('../../../collector/dashboard/client/group-table')).GroupTable,
  reached: async () => (await import('../../../collector/dashboard/client/reach-table')).ReachTable,
  totals: async () => (await import('../../../extension/site/totals-card')).TotalsCard,
  configuration: async () => (await import('../../../extension/site/configuration-card')).ConfigurationCard,
  toss: async () => (await import('../../../extension/site/toss-drawing')).TossDrawing,
  tosses: async () => (await import('../../../extension/site/toss-plot')).TossPlot,
  figures: async () => (await import('../../../collector/dashboard/client/figures')).Figures,
  charted,
};
/** Those whose table has no id. */
const unnamed: readonly string[] = ['configuration', 'charted'];

/** The numbers below the dashboard's charts of a group. */
async function charted(): Promise<
  FunctionComponent<{ readonly group: GroupJson; readonly quantity: ShownQuantity }>
> {
  const { numbersOf } = await import('../../../collector/dashboard/client/estimate-words');
  const { parts: partsOf } = await import('../../../collector/dashboard/client/quantity-words');
  const { shownEstimate } = await import('../../../collector/dashboard/client/quantities');
  const { h } = await import('preact');
  return ({ group, quantity }) => {
    const total = shownEstimate(group, quantity);
    const tables = [
      ...(total === null
        ? []
        : [numbersOf('', [{ label: '', estimate: total }], total.quantity === 'conversion-rate')]),
      numbersOf('', partsOf(group), false),
    ];
    const rows = tables.flatMap((table) => table.rows);
    return h(
      'table',
      null,
      rows.map((row, number) =>
        h(
          'tr',
          { key: number },
          row.map((cell, column) => h('td', { key: column }, cell)),
        ),
      ),
    );
  };
}

/** The cells of the rows of a table of the dashboard, or of the lab. */
export const pageTable = async (
  id: keyof typeof parts,
  language: Language,
  properties: object,
): Promise<readonly (readonly string[])[]> =>
  tableIn(await pageOf(id, language, properties), unnamed.includes(id) ? null : id);

/** A part of the dashboard or of the lab, as HTML. */
export async function pageOf(
  id: keyof typeof parts,
  language: Language,
  properties: object,
): Promise<string> {
  Object.assign(globalThis, {
    document: { documentElement: { lang: language } },
    navigator: { languages: [language] },
    matchMedia: () => ({ matches: false }),
  });
  return (await partOf(id, parts[id], language))(properties);
}
