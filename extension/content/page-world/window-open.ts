import { announce } from './announce';
import { replaceMethod } from './methods';

type Open = Window['open'];
type OpenOfDocument = (...args: [url?: string, target?: string, features?: string]) => unknown;

// Saved now, because the page may replace it later.
const { apply } = Reflect;
// Reads no property that a page can define.
// oxlint-disable-next-line typescript/unbound-method -- called by `apply`
const readHref = Object.getOwnPropertyDescriptor(URL.prototype, 'href')?.get;

/** Pages pass all kinds of objects that convert to strings. */
type Text = string | URL;

/** A feature and its value, separated as in HTML ("tokenize the features argument"). */
const feature = /([^\t\n\f\r =,]+)(?:[\t\n\f\r ]*=[\t\n\f\r =]*([^\t\n\f\r =,]*))?/g;

/**
 * Gives `window.open` the feature `attributionsrc` (ARA, "Window open steps"). With three arguments, `document.open` is the same method: in
 * attributes such as `onclick`, `open` is the document's.
 */
export function extendWindowOpen(): void {
  replaceMethod(window, 'open', announceAndOpen);
  replaceMethod(Document.prototype, 'open', (native: OpenOfDocument) => {
    const openWindow = announceAndOpen(native as Open);
    return function (this: unknown, ...args: Parameters<OpenOfDocument>): unknown {
      return args.length < 3 ? apply(native, this, args) : apply(openWindow, this, args);
    };
  });
}

const announceAndOpen = (nativeOpen: Open): Open =>
  function (this: unknown, ...args) {
    const [url = '', target, features] = args as [url?: Text, target?: Text, features?: Text | null];
    const { sources, rest } = splitFeatures(String(features ?? ''));
    if (sources.length === 0) {
      const plain = plainUrl(url);
      if (plain !== '') announce({ kind: 'plain-open', url: plain });
      return apply(nativeOpen, this, args);
    }
    // First, because opening a window consumes the user activation that a navigation source needs.
    announce({ kind: 'open', url: String(url), sources });
    return apply(nativeOpen, this, [url, target as string, rest]);
  };

/** A URL as a string. Nothing of the page's may run twice, so objects of other kinds count as empty. */
function plainUrl(url: unknown): string {
  if (typeof url === 'string') return url;
  try {
    return readHref === undefined ? '' : (apply(readHref, url, []) as string);
  } catch {
    return '';
  }
}

/** The values of `attributionsrc` in `features`, and the other features. */
function splitFeatures(features: string): { sources: string[]; rest: string } {
  const sources: string[] = [];
  const rest = features.replace(feature, (token: string, name: string, value: string | undefined) => {
    if (name.toLowerCase() !== 'attributionsrc') return token;
    sources.push(value ?? '');
    return '';
  });
  // Even separators alone would make the browser open a popup instead of a tab.
  return { sources, rest: /[^\t\n\f\r =,]/.test(rest) ? rest : '' };
}
