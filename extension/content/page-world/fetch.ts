import { withoutMark, type RequestEligibility } from '../../eligibility-mark';
import { replaceAccessor, replaceClass, replaceMethod } from './methods';
import { eligibilityOf } from './options';
import { marked } from './seal';

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

/** Gives `Request` the option. The request keeps it, whoever fetches it later. */
export function extendRequest(): void {
  replaceClass(
    'Request',
    NativeRequest,
    (args, made) => Reflect.construct(NativeRequest, markedArguments(args), made) as Request,
  );
  replaceAccessor(
    NativeRequest.prototype,
    'url',
    'get',
    (native) =>
      function (this: Request) {
        return withoutMark(Reflect.apply(native, this, []) as string);
      },
  );
}

type Arguments = ConstructorParameters<typeof Request>;

function markedArguments(args: Arguments): Arguments {
  const [input, init] = args;
  const options = (init as EligibleInit | null | undefined)?.attributionReporting;
  return options === undefined ? args : [markedInput(input, eligibilityOf(options)), init];
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
  return ask(markedInput(input, eligibilityOf(options)));
}

function markedInput(input: RequestInfo | URL, eligibility: RequestEligibility): RequestInfo | URL {
  if (!(input instanceof NativeRequest))
    return marked(new NativeUrl(String(input), document.baseURI).href, eligibility);
  // A copy of a request with a body would stream it, which many servers do not take. Such a request goes as it is, and is not eligible.
  return /^(GET|HEAD)$/.test(input.method) ? new NativeRequest(marked(input.url, eligibility), input) : input;
}
