import type { Visited } from '../visited';

/** What an attack may use. */
export interface Siege {
  /** A server that never answers, under this and other names. */
  readonly hanging: string;
  /** One that answers after as many seconds as the path says. */
  readonly late?: string;
  /** One that others use as well. */
  readonly adServer: string;
  /** How many requests of each kind make a wave; those for `attributionsrc` have 20 URLs each. */
  readonly messages: number;
  /** How often, if not as long as the page is open. */
  readonly waves?: number;
}

/** One kind of attack by a page of a site. @returns the HTML that the page has for it */
export type Attack = (visited: Visited, site: string, siege: Siege) => string;

/** The most URLs that one message of a page may ask for. */
export const URLS = 20;

/** In ms between two waves. */
const PAUSE = 2000;

/** The site with the servers of an attack. */
export const serverOf = (site: string): string => `${site}-tech`;

/**
 * A script of a page, because on a loaded machine puppeteer sometimes finds no context to run one in a frame.
 * @param wave runs in the page, once it is loaded and then every two seconds
 */
export function inWaves<Given>(
  wave: (given: Given) => void,
  given: Given,
  { waves = Infinity }: Siege,
): string {
  const repeat = (attack: (given: unknown) => void, what: unknown, most: number, pause: number): void => {
    let sent = 0;
    const next = (): void => {
      attack(what);
      if (++sent === most) clearInterval(timer);
    };
    const timer = setInterval(next, pause);
    next();
  };
  const call = `(${repeat.toString()})(${wave.toString()}, ${JSON.stringify(given)}, ${waves}, ${PAUSE})`;
  return `<script>addEventListener('load', () => setTimeout(() => ${call}))</script>`;
}

/** Frames for pages of a site. */
export const framesOf = (urls: readonly string[]): string =>
  urls.map((url) => `<iframe src="${url}"></iframe>`).join('');
