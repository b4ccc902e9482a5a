import puppeteer, { type Page } from 'puppeteer-core';
import { serveSites, type BrowserName, type Sites } from '../../../scenarios/kit';
import { browserOptions } from '../../../scenarios/kit/launch';

/** A browser, with Cointoss or another extension, and sites to visit in it. */
export interface Visited {
  readonly sites: Sites;
  /** Resolves when a page of a site with this body is loaded. */
  open(site: string, body: string): Promise<Page>;
}

export interface Other {
  readonly browser: BrowserName;
  readonly extensionDir: string;
  readonly userDataDir: string;
}

/** In which the test is not told of each request: that costs the browser more time than Cointoss does. */
export const unwatched = { networkEnabled: false };

/** Does something in a browser with an extension in Cointoss's place, and ends the browser. @param userDataDir the profile. */
export async function withOther<T>(
  { browser, extensionDir, userDataDir }: Other,
  work: (visited: Visited) => Promise<T>,
): Promise<T> {
  const sites = await serveSites();
  const launched = await puppeteer.launch(browserOptions({ browser, userDataDir, puppeteer: unwatched }));
  await launched.installExtension(extensionDir);
  const open = async (site: string, body: string): Promise<Page> => {
    const page = await launched.newPage();
    await page.bringToFront();
    await page.goto(sites.page(site, body), { waitUntil: 'load', timeout: 0 });
    return page;
  };
  try {
    return await work({ sites, open });
  } finally {
    await launched.close();
    await sites.close();
  }
}
