import type { InternalId } from '../src/model/records';
import type {
  Decided,
  EligibleElement,
  EligibleRequest,
  FollowedNavigation,
  FoundEligibility,
  Place,
  UndecidedResponse,
} from '../src/model/requests';
import type { Moment } from '../src/model/units';
import { askersOfDeclared, askersOfResponse, type Rows, type Transaction } from '../src/store/store';

/** Milliseconds in which a document may declare a request after its response arrived. */
export const DECLARATION_TIME = 10_000;
/** Milliseconds in which the response to a declared request must arrive. */
const RESPONSE_TIME = 60_000;

type ArrivedResponse = Omit<UndecidedResponse, 'id' | 'decided'>;
/** What makes a request eligible. An element is known before its request is, a navigation with it. */
export type Declaration = Omit<EligibleElement, 'id' | 'requestId'> | Omit<FollowedNavigation, 'id'>;

/**
 * Notes a response. Elements are often found only after it, so the decision waits if a declaration could change it.
 * @param known what was decided when the request was made, if it was
 */
export async function noteResponse(
  tx: Transaction,
  response: ArrivedResponse,
  known: Decided | null = null,
): Promise<UndecidedResponse> {
  const noted = { ...response, id: tx.nextId(), decided: known ?? (await decideNow(tx, response)) };
  tx.table('undecidedResponses').put(noted);
  return noted;
}

async function decideNow(tx: Transaction, response: ArrivedResponse): Promise<Decided | null> {
  if (response.eligibility !== null) return decidedAs(response.eligibility, response);
  const candidates = await ofAskers(tx, 'eligibleRequests', askersOfResponse(response));
  // The newest: earlier requests without an answer are not this one.
  const declared = candidates.findLast((request) => isOf(request, response));
  if (declared !== undefined) {
    tx.table('eligibleRequests').put({ ...declared, requestId: response.requestId });
    return decideDeclared(declared, response);
  }
  // Without a source header, a later declaration changes nothing.
  const { source, osSource } = response.headers;
  return source === null && !osSource ? decidedAs('unset', response) : null;
}

/** Notes that a document declared a request, and returns the responses that this decides. */
export async function noteEligibleRequest(
  tx: Transaction,
  request: Declaration,
): Promise<readonly UndecidedResponse[]> {
  const [responses, id] = await Promise.all([
    ofAskers(tx, 'undecidedResponses', askersOfDeclared(request)),
    declarationId(tx, request),
  ]);
  const asked: EligibleRequest =
    request.via === 'navigation' ? { ...request, id } : { ...request, id, requestId: null };
  const waiting = responses.filter((response) => response.decided === null && isOf(asked, response));
  const declared = {
    ...asked,
    requestId: asked.requestId ?? waiting[0]?.requestId ?? null,
  } as EligibleRequest;
  tx.table('eligibleRequests').put(declared);
  const decided = waiting
    .filter((response) => response.requestId === declared.requestId)
    .map((response) => ({ ...response, decided: decideDeclared(declared, response) }));
  for (const response of decided) tx.table('undecidedResponses').put(response);
  return decided;
}

/** The rows with one of these keys, in the order in which they were noted. */
async function ofAskers<Name extends 'eligibleRequests' | 'undecidedResponses'>(
  tx: Transaction,
  table: Name,
  askers: readonly string[],
): Promise<readonly Rows[Name][]> {
  const found = await Promise.all(askers.map((asker) => tx.table(table).where('asker', asker)));
  const rows = new Map<InternalId, Rows[Name]>(found.flat().map((row) => [row.id, row]));
  return [...rows.values()].sort((a, b) => a.id - b.id);
}

/** A document declares an element at every change, but it counts as one request. */
async function declarationId(tx: Transaction, request: Declaration): Promise<InternalId> {
  if (request.via === 'navigation') return tx.nextId();
  const repeated = (await ofAskers(tx, 'eligibleRequests', askersOfDeclared(request).slice(0, 1))).find(
    ({ documentId, requestId }) => requestId === null && documentId === request.documentId,
  );
  return repeated?.id ?? tx.nextId();
}

/**
 * Decides what was not declared in time, and deletes declarations without a response.
 * @returns all responses that wait: those that are decided now by time, then the others
 */
export async function decideOverdue(
  tx: Transaction,
  now: Moment,
): Promise<{ readonly decided: readonly UndecidedResponse[]; readonly open: readonly UndecidedResponse[] }> {
  for (const { id } of await tx.table('eligibleRequests').upTo('time', now - RESPONSE_TIME)) {
    tx.table('eligibleRequests').delete(id);
  }
  const waiting = await tx.table('undecidedResponses').upTo('time', Infinity);
  // A time in the future means the clock was set back.
  const isOverdue = ({ decided, time }: UndecidedResponse): boolean =>
    decided === null && (time <= now - DECLARATION_TIME || time > now);
  const overdue = waiting
    .filter(isOverdue)
    .map((response) => ({ ...response, decided: decidedAs('unset', response) }));
  for (const response of overdue) tx.table('undecidedResponses').put(response);
  const decided = [...waiting.filter(({ decided }) => decided !== null), ...overdue];
  return {
    decided: decided.sort((a, b) => a.time - b.time || a.id - b.id),
    open: waiting.filter((response) => response.decided === null && !isOverdue(response)),
  };
}

/** Whether a response belongs to a declared request. */
function isOf(request: EligibleRequest, response: ArrivedResponse): boolean {
  if (request.requestId !== null && request.requestId !== response.requestId) return false;
  if (request.via === 'element' && request.requestId !== null) return true;
  // The browser gives an id again after it was started anew.
  if (request.url !== response.requestUrl) return false;
  if (Math.abs(response.time - request.time) > RESPONSE_TIME) return false;
  const { documentId, around, documentOrigin, tabId, via } = request;
  if (response.kind === 'navigation')
    // A click may open another tab, so only the origin tells who started the navigation. All opaque origins look alike.
    return (
      via === 'navigation' &&
      documentOrigin === response.documentOrigin &&
      (documentOrigin !== null || tabId === response.tabId || tabId === response.openerTabId)
    );
  if (via === 'navigation') return false;
  // A service worker makes the requests of the documents of its origin.
  return response.kind === 'worker'
    ? documentOrigin !== null && documentOrigin === response.documentOrigin
    : response.documentId === documentId || (around !== undefined && response.documentId === around);
}

/** A navigation and a worker are on no page of their own; an element's page is the one that the browser names for its response. */
function decideDeclared(declared: EligibleRequest, response: ArrivedResponse): Decided {
  const { eligibility, navigation } = declared;
  const isOnNoPage = response.kind === 'navigation' || response.kind === 'worker';
  // The element may be in a frame for which the browser names the document around it.
  const isDeclared = isOnNoPage || declared.place.kind !== 'known';
  return { ...decidedAs(eligibility, isDeclared ? declared : response), navigation };
}

const decidedAs = (eligibility: FoundEligibility, { place }: { readonly place: Place }): Decided => ({
  eligibility,
  place,
});
