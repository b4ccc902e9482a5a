import type { InternalId } from '../model/records';
import type { Decided, EligibleRequest, UndecidedResponse } from '../model/requests';
import type { Moment } from '../model/units';
import type { Transaction } from '../store/store';

/** Milliseconds in which a document may declare a request after its response arrived. */
export const DECLARATION_TIME = 10_000;
/** Milliseconds in which the response to a declared request must arrive. */
const RESPONSE_TIME = 60_000;

/** Notes a response. Elements are often found only after it, so the decision waits if a declaration could change it. */
export async function noteResponse(
  tx: Transaction,
  response: Omit<UndecidedResponse, 'id' | 'decided'>,
): Promise<UndecidedResponse> {
  const candidates = await tx.table('eligibleRequests').where('url', response.requestUrl);
  // The newest: earlier requests without an answer are not this one.
  const declared = candidates.reverse().find((request) => isOf(request, response));
  if (declared !== undefined && declared.requestId === null) {
    await tx.table('eligibleRequests').put({ ...declared, requestId: response.requestId });
  }
  const noted: UndecidedResponse = {
    ...response,
    id: await tx.nextId(),
    decided: declared === undefined ? decideUndeclared(response) : decideDeclared(declared, response),
  };
  await tx.table('undecidedResponses').put(noted);
  return noted;
}

/** Notes that a document declared a request, and returns the responses that this decides. */
export async function noteEligibleRequest(
  tx: Transaction,
  request: Omit<EligibleRequest, 'id' | 'requestId'>,
): Promise<readonly UndecidedResponse[]> {
  const waiting = (await tx.table('undecidedResponses').where('requestUrl', request.url)).filter(
    (response) => response.decided === null && isOf({ ...request, requestId: null }, response),
  );
  const requestId = waiting[0]?.requestId ?? null;
  const declared: EligibleRequest = { ...request, id: await declarationId(tx, request), requestId };
  await tx.table('eligibleRequests').put(declared);
  const decided = waiting
    .filter((response) => response.requestId === requestId)
    .map((response) => ({ ...response, decided: decideDeclared(declared, response) }));
  for (const response of decided) await tx.table('undecidedResponses').put(response);
  return decided;
}

/** An element is declared at every change but counts as one request. Each call of `fetch` is a separate request. */
async function declarationId(
  tx: Transaction,
  request: Omit<EligibleRequest, 'id' | 'requestId'>,
): Promise<InternalId> {
  const repeated = (await tx.table('eligibleRequests').where('url', request.url)).find(
    ({ via, tabId, frameId, requestId }) =>
      requestId === null &&
      via !== 'fetch' &&
      via === request.via &&
      tabId === request.tabId &&
      frameId === request.frameId,
  );
  return repeated?.id ?? (await tx.nextId());
}

/** Decides what was not declared in time, and deletes declarations without a response. */
export async function settleOverdue(tx: Transaction, now: Moment): Promise<readonly UndecidedResponse[]> {
  for (const { id } of await tx.table('eligibleRequests').upTo('time', now - RESPONSE_TIME)) {
    await tx.table('eligibleRequests').delete(id);
  }
  const settled = (await tx.table('undecidedResponses').upTo('time', Infinity))
    // A time in the future means the clock was set back.
    .filter(({ decided, time }) => decided !== null || time <= now - DECLARATION_TIME || time > now)
    .map((response) => ({ ...response, decided: response.decided ?? unset(response) }));
  for (const response of settled) await tx.table('undecidedResponses').put(response);
  return settled;
}

/** Whether a response belongs to a declared request. */
function isOf(
  request: Omit<EligibleRequest, 'id'>,
  response: Omit<UndecidedResponse, 'id' | 'decided'>,
): boolean {
  if (request.requestId !== null) return request.requestId === response.requestId;
  if (request.via !== response.kind || request.url !== response.requestUrl) return false;
  if (Math.abs(response.time - request.time) > RESPONSE_TIME) return false;
  // A click may open another tab, so only the browser's initiator tells who started the navigation.
  return request.via === 'navigation'
    ? request.documentOrigin === response.documentOrigin
    : request.tabId === response.tabId && request.frameId === response.frameId;
}

const decideDeclared = (
  { eligibility, contextOrigin, via }: Omit<EligibleRequest, 'id'>,
  response: Omit<UndecidedResponse, 'id' | 'decided'>,
): Decided => ({ eligibility, contextOrigin: via === 'navigation' ? contextOrigin : response.contextOrigin });

/** Without a source header, a later declaration changes nothing. */
const decideUndeclared = (response: Omit<UndecidedResponse, 'id' | 'decided'>): Decided | null =>
  response.headers.source === null && !response.headers.osSource ? unset(response) : null;

const unset = ({ contextOrigin }: Pick<UndecidedResponse, 'contextOrigin'>): Decided => ({
  eligibility: 'unset',
  contextOrigin,
});
