import { withMark } from '../../eligibility-mark';
import { defineMethod, replaceMethod } from './methods';
import { eligibilityOf } from './options';

type Open = XMLHttpRequest['open'];
type SetHeader = XMLHttpRequest['setRequestHeader'];

/** How the page opened a request, and set headers since. */
interface OpenedRequest {
  readonly url: string;
  readonly openAt: (url: string) => void;
  readonly setHeaders: (() => void)[];
}

const requests = new WeakMap<XMLHttpRequest, OpenedRequest>();
const NativeDomException = DOMException;
const NativeUrl = URL;

/** Gives `XMLHttpRequest` the method `setAttributionReporting` (ARA, "XMLHttpRequest monkeypatches"). */
export function extendXmlHttpRequest(): void {
  const { prototype } = XMLHttpRequest;
  defineMethod(prototype, 'setAttributionReporting', 1, setAttributionReporting);
  replaceMethod(prototype, 'open', openAndRemember);
  replaceMethod(prototype, 'setRequestHeader', setAndRemember);
}

function setAttributionReporting(this: XMLHttpRequest, options: unknown): void {
  const eligibility = eligibilityOf(options);
  const request = this.readyState === 1 ? requests.get(this) : undefined;
  if (request === undefined) throw new NativeDomException('The request is not opened.', 'InvalidStateError');
  // The browser throws the same error here if the request is sent already.
  const { withCredentials } = this;
  this.withCredentials = withCredentials;
  // Only `open` takes a URL. It forgets the headers, and nothing else.
  request.openAt(withMark(new NativeUrl(request.url, document.baseURI).href, eligibility));
  for (const setHeader of request.setHeaders) setHeader();
}

const openAndRemember = (native: Open): Open =>
  function (this: XMLHttpRequest, ...args: [method: unknown, url: unknown, ...rest: unknown[]]) {
    if (args.length < 2) {
      Reflect.apply(native, this, args);
      return;
    }
    const [method, url] = [String(args[0]), String(args[1])];
    const openAt = (at: string): void => {
      Reflect.apply(native, this, [method, at, ...args.slice(2)]);
    };
    openAt(url);
    requests.set(this, { url, openAt, setHeaders: [] });
  };

const setAndRemember = (native: SetHeader): SetHeader =>
  function (this: XMLHttpRequest, ...args: Parameters<SetHeader>) {
    const setHeader = (): void => {
      Reflect.apply(native, this, args);
    };
    setHeader();
    requests.get(this)?.setHeaders.push(setHeader);
  };
