import type { Page } from 'puppeteer';
import { source } from './registrations';
import type { World } from './world';

/** The most that one message of a page may ask for. */
const URLS = 20;

/** Filter data about as large as a source may have. */
const large = {
  filter_data: Object.fromEntries(
    Array.from({ length: 50 }, (_, key) => [
      `key-${key}`,
      Array.from({ length: 20 }, (_, value) => `value-${value}`.padEnd(25, 'x')),
    ]),
  ),
};

/**
 * Opens a page that floods Cointoss again and again, as long as it is open: with requests for `attributionsrc`, with images that frames
 * declare eligible, and with large registrations.
 * @param messages how many times 20 URLs each time
 */
export async function besiege(world: World, site: string, messages: number): Promise<Page> {
  const { sites } = world;
  const headers = (id: number): Readonly<Record<string, string>> => source(id, sites.origin('mall'), large);
  const urls = Array.from({ length: URLS }, (_, id) =>
    sites.serve(`${site}-tech`, `/${id}`, { headers: headers(id) }),
  );
  const frame = sites.page(`${site}-frame`, '');
  const frames = Array.from({ length: 5 }, () => `<iframe src="${frame}"></iframe>`);
  const page = await world.open(site, frames.join(''));
  for (const each of page.frames())
    await each.evaluate(
      (all, count, isPage) => {
        const flood = (): void => {
          for (const image of document.querySelectorAll('img')) image.remove();
          for (let index = 0; index < count; index++) {
            const image = document.body.appendChild(new Image());
            if (isPage) image.setAttribute('attributionsrc', all.join(' '));
            else {
              image.setAttribute('attributionsrc', '');
              image.src = `${all[index % all.length] ?? ''}?${performance.now()}`;
            }
          }
        };
        flood();
        setInterval(flood, 2000);
      },
      urls,
      messages,
      each === page.mainFrame(),
    );
  return page;
}
