import {
  isOf,
  type Declaration,
  type EligibleRequest,
  type InboxRow,
  type ObservedResponse,
  type StoredRequest,
  type StoredResponse,
} from '../../../recording/requests';
import type { Place } from '../../../recording/places';

/** A response that only waits to be decided. */
export type PlacedRow = StoredResponse & { readonly place: Place };

export const isPlaced = (row: InboxRow): row is PlacedRow =>
  'response' in row && row.place !== null && row.decided === null;

/**
 * Finds declarations by responses, and responses by declarations. Both sides know the URL, and with it the request, the document or, for a
 * worker, the origin. So neither looks at what belongs to others, however much waits: pages decide how much that is.
 */
export class InboxIndex {
  private readonly declared = new Buckets<StoredRequest>();
  private readonly waiting = new Buckets<PlacedRow>();

  add(row: InboxRow): void {
    if ('request' in row) this.declared.add(row, row.request.url, keysOfDeclared(row.request));
    else if (isPlaced(row)) this.waiting.add(row, row.response.requestUrl, keysOfWaiting(row.response));
  }

  remove(row: InboxRow): void {
    if ('request' in row) this.declared.remove(row, row.request.url, keysOfDeclared(row.request));
    else if (isPlaced(row)) this.waiting.remove(row, row.response.requestUrl, keysOfWaiting(row.response));
  }

  /** The newest declaration to which a response belongs: earlier ones without an answer are not this one. */
  declarationOf(response: ObservedResponse): StoredRequest | undefined {
    const { requestId, requestUrl, requester, kind } = response;
    const { documentId, documentOrigin } = requester;
    const unclaimed =
      kind === 'worker' ? [byOrigin(documentOrigin)] : [byDocument(documentId), byInner(documentId)];
    return [byRequest(requestId), ...unclaimed]
      .map((key) => this.declared.of(requestUrl, key).findLast(({ request }) => isOf(request, response)))
      .reduce((one, other) =>
        one === undefined || (other !== undefined && other.id > one.id) ? other : one,
      );
  }

  /** The same declaration as long as it belongs to no request. */
  unclaimedLike({ url, documentId }: Declaration): StoredRequest | undefined {
    return this.declared.of(url, byDocument(documentId))[0];
  }

  /** The oldest request that a declaration can mean. */
  waitingFor(declared: EligibleRequest): string | null {
    const { url, documentId, around, documentOrigin } = declared;
    const [oldest] = [byDocument(documentId), byDocument(around), byOrigin(documentOrigin)]
      .flatMap((key) => this.waiting.of(url, key).find(({ response }) => isOf(declared, response)) ?? [])
      .sort((one, other) => one.id - other.id);
    return oldest?.response.requestId ?? null;
  }

  /** The responses to a request that a declaration decides. */
  waitingOf(declared: EligibleRequest, requestId: string): readonly PlacedRow[] {
    return this.waiting
      .of(declared.url, byRequest(requestId))
      .filter(({ response }) => isOf(declared, response));
  }
}

const byRequest = (requestId: string): string => `request ${requestId}`;
const byDocument = (documentId = ''): string => `document ${documentId}`;
/** Of the documents inside this one, on whose behalf Chrome makes requests in its name. */
const byInner = (documentId = ''): string => `inside ${documentId}`;
const byOrigin = (origin: string | null): string => `worker ${origin ?? ''}`;

const keysOfDeclared = ({
  requestId,
  documentId,
  around,
  documentOrigin,
}: EligibleRequest): readonly string[] =>
  requestId === null
    ? [byDocument(documentId), byInner(around), byOrigin(documentOrigin)]
    : [byRequest(requestId)];

function keysOfWaiting({ requestId, requester, kind }: ObservedResponse): readonly string[] {
  const maker = kind === 'worker' ? byOrigin(requester.documentOrigin) : byDocument(requester.documentId);
  return [byRequest(requestId), maker];
}

/** Rows by URL and key, the oldest first. */
class Buckets<Row extends { readonly id: number }> {
  private readonly byUrl = new Map<string, Map<string, Row[]>>();

  of(url: string, key: string): readonly Row[] {
    return this.byUrl.get(url)?.get(key) ?? [];
  }

  add(row: Row, url: string, keys: readonly string[]): void {
    const byKey = this.byUrl.get(url) ?? new Map<string, Row[]>();
    this.byUrl.set(url, byKey);
    for (const key of keys) {
      const rows = byKey.get(key);
      if (rows === undefined) byKey.set(key, [row]);
      // A row that changes keeps its place.
      else rows.splice(rows.findLastIndex(({ id }) => id < row.id) + 1, 0, row);
    }
  }

  remove(row: Row, url: string, keys: readonly string[]): void {
    const byKey = this.byUrl.get(url);
    for (const key of keys) {
      const rows = byKey?.get(key) ?? [];
      const index = rows.lastIndexOf(row);
      if (index >= 0) rows.splice(index, 1);
      if (rows.length === 0) byKey?.delete(key);
    }
    if (byKey?.size === 0) this.byUrl.delete(url);
  }
}
