import { defineMember, replaceMethod } from './methods';
import { eligibilityOf } from './options';
import { marked } from './seal';

type Open = XMLHttpRequest['open'];
/** Pages pass all kinds of objects that convert to strings. */
type Text = string | URL;
type SetHeader = XMLHttpRequest['setRequestHeader'];

/** How the page opened a request, and set headers since. */
interface OpenedRequest {
  readonly url: string;
  readonly openAt: (url: string) => void;
  readonly setHeaders: (() => void)[];
}

const requests = new WeakMap<XMLHttpRequest, OpenedRequest>();
// Saved now, because the page may replace these later.
const { apply } = Reflect;
const remember = requests.set.bind(requests);
const remembered = requests.get.bind(requests);
const NativeDomException = DOMException;
const NativeUrl = URL;

/** Gives `XMLHttpRequest` the method `setAttributionReporting` (ARA, "XMLHttpRequest monkeypatches"). */
export function extendXmlHttpRequest(): void {
  const { prototype } = XMLHttpRequest;
  defineMember(prototype, 'setAttributionReporting', added);
  replaceMethod(prototype, 'open', openAndRemember);
  replaceMethod(prototype, 'setRequestHeader', setAndRemember);
}

const added = {
  setAttributionReporting(this: XMLHttpRequest, options: unknown): void {
    const eligibility = eligibilityOf(options);
    const request = this.readyState === 1 ? remembered(this) : undefined;
    if (request === undefined)
      throw new NativeDomException('The request is not opened.', 'InvalidStateError');
    // The browser throws the same error here if the request is sent already.
    const { withCredentials } = this;
    this.withCredentials = withCredentials;
    // Only `open` takes a URL. It forgets the headers, and nothing else.
    const { href } = new NativeUrl(request.url, document.baseURI);
    request.openAt(marked(href, eligibility));
    for (const setHeader of request.setHeaders) setHeader();
  },
};

const openAndRemember = (native: Open): Open =>
  function (this: XMLHttpRequest, ...args: [method: Text, url: Text, ...rest: unknown[]]) {
    if (args.length < 2) {
      apply(native, this, args);
      return;
    }
    // As the browser converts them: once, and not from symbols.
    const method = `${args[0]}`;
    const url = `${args[1]}`;
    const openAt = (at: string): void => {
      apply(native, this, [method, at, ...args.slice(2)]);
    };
    openAt(url);
    remember(this, { url, openAt, setHeaders: [] });
  };

const setAndRemember = (native: SetHeader): SetHeader =>
  function (this: XMLHttpRequest, ...args: Parameters<SetHeader>) {
    const setHeader = (): void => {
      apply(native, this, args);
    };
    setHeader();
    remembered(this)?.setHeaders.push(setHeader);
  };
