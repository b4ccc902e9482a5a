import { withMark, type RequestEligibility } from '../../eligibility-mark';
import { replaceMethod } from './methods';
import { eligibilityOf } from './options';

type Fetch = Window['fetch'];

interface EligibleInit extends RequestInit {
  readonly attributionReporting?: unknown;
}

// Saved now, because the page may replace these later.
const { apply } = Reflect;
const NativeRequest = Request;
const NativeUrl = URL;

/** Gives `fetch` the option `attributionReporting` (ARA, "Fetch monkeypatches"). */
export function extendFetch(): void {
  replaceMethod(window, 'fetch', fetchMarked);
}

const fetchMarked = (nativeFetch: Fetch): Fetch =>
  function (this: unknown, ...args) {
    const options = (args[1] as EligibleInit | null | undefined)?.attributionReporting;
    if (options === undefined) return apply(nativeFetch, this, args);
    return fetchEligible((input) => apply(nativeFetch, this, [input, args[1]]), args[0], options);
  };

/** Asynchronous only to reject, as `fetch` does, when the options are wrong. It asks before it returns. */
async function fetchEligible(
  ask: (input: RequestInfo | URL) => Promise<Response>,
  input: RequestInfo | URL,
  options: unknown,
): Promise<Response> {
  return ask(marked(input, eligibilityOf(options)));
}

function marked(input: RequestInfo | URL, eligibility: RequestEligibility): RequestInfo | URL {
  if (!(input instanceof NativeRequest))
    return withMark(new NativeUrl(String(input), document.baseURI).href, eligibility);
  // A copy of a request with a body would stream it, which many servers do not take. Such a request goes as it is, and is not eligible.
  return /^(GET|HEAD)$/.test(input.method)
    ? new NativeRequest(withMark(input.url, eligibility), input)
    : input;
}
