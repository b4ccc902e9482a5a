import { announceRequest } from './announce';
import { replaceMethod } from './methods';
import { eligibilityOf } from './options';

type Fetch = Window['fetch'];

interface EligibleInit extends RequestInit {
  readonly attributionReporting?: unknown;
}

const NativeRequest = Request;

/** Gives `fetch` the option `attributionReporting` (ARA, "Fetch monkeypatches"). */
export function extendFetch(): void {
  replaceMethod(window, 'fetch', fetchWhenReady);
}

const fetchWhenReady = (nativeFetch: Fetch): Fetch =>
  function (this: unknown, ...args) {
    const options = (args[1] as EligibleInit | null | undefined)?.attributionReporting;
    if (options === undefined) return Reflect.apply(nativeFetch, this, args);
    return fetchEligible(nativeFetch, options, args);
  };

async function fetchEligible(
  nativeFetch: Fetch,
  options: unknown,
  args: Parameters<Fetch>,
): Promise<Response> {
  const eligibility = eligibilityOf(options);
  // Copies the request now, as fetch itself does: the page may change its objects during the wait.
  const request = new NativeRequest(...args);
  await announceRequest(request.url, eligibility);
  return nativeFetch(request);
}
