import type { Extension } from '../../../scenarios/kit';

/** The part of the extension API that tells badges. */
interface Badges {
  readonly tabs: { query(what: object): Promise<{ id: number; url?: string }[]> };
  readonly action: { getBadgeText(of: { tabId: number }): Promise<string> };
}

/** What the button shows in each tab whose URL begins so; of those with others, nothing. */
export async function badgesOf(extension: Extension, urls: string): Promise<readonly string[]> {
  const page = await extension.page();
  return page.evaluate(async (start) => {
    const api = globalThis as unknown as { browser?: Badges; chrome?: Badges };
    const { tabs, action } = (api.browser ?? api.chrome) as Badges;
    const shown = (await tabs.query({})).filter(({ url = '' }) => url.startsWith(start));
    return Promise.all(shown.map(({ id }) => action.getBadgeText({ tabId: id })));
  }, urls);
}
