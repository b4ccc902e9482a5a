import type { FoundEligibility } from '../../../recording/eligibility';
import { originOfUrl } from '../../../src/model/origin';
import { unknownHeader } from '../../../recording/unknown-headers';
import type { HeaderLine, RequestEvent } from '../../request-events';

/** The most hops that the page of requests holds, and the most declarations without a request. The oldest make way. */
export const MOST_HOPS = 2000;
const MOST_EARLY = 100;

/** What became of a response: `entry` is the id in the log, null if nothing was logged. */
interface Decision {
  readonly eligibility: FoundEligibility;
  readonly entry: number | null;
}

/** A request, or one redirect of it. */
export interface Hop extends Omit<
  Extract<RequestEvent, { readonly kind: 'sent' }>,
  'kind' | 'headers' | 'requestId'
> {
  /** Counted from 1 on this page. */
  readonly id: number;
  readonly requestId: string;
  /** The hop that redirected here. */
  readonly from: number | null;
  readonly requestHeaders: readonly HeaderLine[];
  readonly responseHeaders: readonly HeaderLine[];
  /** Null while there is no answer. */
  readonly status: number | null;
  readonly answeredAt: number | null;
  /** Why there is no answer. */
  readonly error: string | null;
  /** Whether a document declared it eligible. */
  readonly isDeclared: boolean;
  /** Whether its beginning was seen. Of an answer from a cache, and of one whose request began before anybody listened, it was not. */
  readonly isBegun: boolean;
  /** Whether no page uses the response. */
  readonly isUnused: boolean;
  readonly decision: Decision | null;
}

type Declaration = Extract<RequestEvent, { readonly kind: 'declared' }>;

/** What the page of requests knows. */
export interface Requests {
  /** The oldest first. At most `MOST_HOPS`. */
  readonly hops: readonly Hop[];
  /** Declarations that came before their request: the browser tells of the two in any order. */
  readonly early: readonly Declaration[];
  /** The greatest id of a hop so far. */
  readonly lastId: number;
}

export const noRequests: Requests = { hops: [], early: [], lastId: 0 };

type Carrier = Pick<Hop, 'responseHeaders'>;

export const headerOf = (headers: readonly HeaderLine[], name: string): string | null =>
  headers.find((header) => header.name.toLowerCase() === name)?.value ?? null;

const isRegistration = /^attribution-reporting-register-/i;

/** Whether the response had a header that registers something, or whose name is misspelt. */
export const carriesRegistration = ({ responseHeaders }: Carrier): boolean =>
  responseHeaders.some(({ name }) => isRegistration.test(name)) ||
  unknownHeader(responseHeaders.map(({ name }) => name)) !== undefined;

/** What the hop was eligible for, as far as it is known. */
export const eligibilityOfHop = ({ decision, eligibility }: Hop): FoundEligibility =>
  decision?.eligibility ?? eligibility ?? 'unset';

/** Where a response redirects to; null if nowhere. */
function redirectOf({ url, status, responseHeaders }: Hop): string | null {
  const location = headerOf(responseHeaders, 'location');
  if (status === null || status < 300 || status >= 400 || location === null) return null;
  return URL.canParse(location, url) ? withoutFragment(new URL(location, url).href) : null;
}

const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? url;

/** What is known after one more event. */
export function withEvent(known: Requests, event: RequestEvent): Requests {
  const { hops } = known;
  switch (event.kind) {
    case 'declared':
      return declared(known, event);
    case 'decided':
      return { ...known, hops: decided(hops, event) };
    case 'unused':
      return { ...known, hops: unused(hops, event) };
    case 'sent':
      return added(known, event, { requestHeaders: event.headers, isBegun: true });
    case 'answered': {
      const { status, headers: responseHeaders, time: answeredAt } = event;
      return answered(known, event, { status, responseHeaders, answeredAt });
    }
    case 'failed':
      return answered(known, event, { error: event.error, answeredAt: event.time });
  }
}

/** What is known without the requests with these ids. */
export const without = (known: Requests, requestIds: ReadonlySet<string>): Requests => ({
  ...known,
  hops: known.hops.filter(({ requestId }) => !requestIds.has(requestId)),
});

function decided(
  hops: readonly Hop[],
  event: Extract<RequestEvent, { readonly kind: 'decided' }>,
): readonly Hop[] {
  return changed(
    hops,
    (hop) =>
      hop.requestId === event.requestId &&
      hop.decision === null &&
      !hop.isUnused &&
      // The log also says why Cointoss's own request registered nothing.
      (hop.isOwn || carriesRegistration(hop)) &&
      originOfUrl(hop.url) === event.reportingOrigin,
    (hop) => ({
      ...hop,
      page: event.page ?? hop.page,
      decision: { eligibility: event.eligibility, entry: event.entry },
    }),
  );
}

function unused(
  hops: readonly Hop[],
  { requestId, url }: Extract<RequestEvent, { readonly kind: 'unused' }>,
): readonly Hop[] {
  const isIt = (hop: Hop): boolean => hop.requestId === requestId && hop.url === url;
  return changed(hops, isIt, (hop) => ({ ...hop, isUnused: true }));
}

type HopEvent = Extract<RequestEvent, { readonly kind: 'sent' | 'answered' | 'failed' }>;

/** Responses from a cache come without a request. */
function answered(known: Requests, event: HopEvent, answer: Partial<Hop>): Requests {
  const { hops } = known;
  const isIt = ({ requestId, url, answeredAt }: Hop): boolean =>
    requestId === event.requestId && url === event.url && answeredAt === null;
  if (hops.some(isIt))
    return {
      ...known,
      hops: changed(hops, isIt, (hop) => ({ ...hop, ...answer, page: event.page ?? hop.page })),
    };
  // A request that fails after its answer has nothing to add.
  if (event.kind === 'failed') return known;
  // Firefox reports the answer from its cache after the 304 that counts.
  const isMerged = ({ requestId, url, status, isUnused }: Hop): boolean =>
    requestId === event.requestId && url === event.url && status === 304 && !isUnused;
  return added(known, event, { ...answer, isUnused: hops.some(isMerged) });
}

function added({ hops, early, lastId }: Requests, event: HopEvent, more: Partial<Hop>): Requests {
  const { requestId, url, method, type, tabId, frameId, initiator, page, isOwn, eligibility, time } = event;
  const last = hops.findLast((hop) => leadsTo(hop, event));
  const declaration = early.find((one) => last === undefined && declares(one, event));
  const hop: Hop = {
    ...{ id: lastId + 1, requestId, url, method, type, tabId, frameId, initiator },
    ...{ page, isOwn, time, requestHeaders: [], responseHeaders: [], status: null, answeredAt: null },
    ...{ error: null, decision: null, isBegun: false, isUnused: false, from: last?.id ?? null },
    isDeclared: declaration !== undefined || (last?.isDeclared ?? false),
    // Redirects of a request are eligible for what it was eligible for.
    eligibility: declaration?.eligibility ?? eligibility ?? last?.eligibility ?? null,
    ...more,
  };
  return {
    hops: [...hops, hop].slice(-MOST_HOPS),
    early: early.filter((one) => one !== declaration),
    lastId: hop.id,
  };
}

/** Cointoss follows the redirects of its own requests itself, each with another request. */
function leadsTo(hop: Hop, { requestId, url, isOwn }: HopEvent): boolean {
  return isOwn
    ? hop.isOwn && redirectOf(hop) === withoutFragment(url)
    : hop.requestId === requestId && redirectOf(hop) !== null;
}

/** Marks the newest request of the tab for this URL, and its redirects. */
function declared(known: Requests, declaration: Declaration): Requests {
  const { hops, early } = known;
  const first = hops.findLast((hop) => hop.from === null && declares(declaration, hop));
  if (first === undefined) return { ...known, early: [...early, declaration].slice(-MOST_EARLY) };
  const { eligibility } = declaration;
  return {
    ...known,
    hops: hops.map((hop) =>
      hop.requestId === first.requestId ? { ...hop, eligibility, isDeclared: true } : hop,
    ),
  };
}

const declares = ({ url, tabId }: Declaration, request: Pick<HopEvent, 'url' | 'tabId' | 'isOwn'>): boolean =>
  request.url === url && request.tabId === tabId && !request.isOwn;

function changed(
  hops: readonly Hop[],
  isIt: (hop: Hop) => boolean,
  change: (hop: Hop) => Hop,
): readonly Hop[] {
  const index = hops.findIndex(isIt);
  return hops.map((hop, at) => (at === index ? change(hop) : hop));
}

/** How many redirects led to each hop, by its id. */
export function depths(hops: readonly Hop[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { id, from } of hops) found.set(id, from === null ? 0 : (found.get(from) ?? -1) + 1);
  return found;
}

/** The hops as a tree in one list: the newest request first, and its redirects under it. */
export function asTree(hops: readonly Hop[]): readonly Hop[] {
  const ids = new Set(hops.map(({ id }) => id));
  const under = new Map<number | null, Hop[]>();
  for (const hop of hops) {
    const siblings = under.get(hop.from);
    if (siblings === undefined) under.set(hop.from, [hop]);
    else siblings.push(hop);
  }
  const toVisit = hops.filter(({ from }) => from === null || !ids.has(from));
  const tree: Hop[] = [];
  for (let hop = toVisit.pop(); hop !== undefined; hop = toVisit.pop()) {
    tree.push(hop);
    for (const redirect of under.get(hop.id)?.reverse() ?? []) toVisit.push(redirect);
  }
  return tree;
}
