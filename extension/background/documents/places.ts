import type { PagePlace, Unknown } from '../../../recording/places';
import type { Requester } from '../../../recording/requests';
import type { Origin } from '../../../src/model/units';
import { webOriginOfUrl } from '../../urls';
import { inheritedOrigin, type KnownDocument } from './known-document';
import type { RememberedDocuments } from './remembered-documents';
import type { Feature } from './permissions-policy';
import { strictest, verdictOn, type Verdict } from './verdict';

/** Tells on which page a document or worker does something, as far as that is known now. */
export class Places {
  constructor(private readonly known: RememberedDocuments) {}

  /**
   * @param otherwise the origin under which the log has it if neither the page nor the requester has one
   * @param feature that a Permissions Policy must allow there
   */
  of(requester: Requester, otherwise: Origin, feature: Feature = 'attribution-reporting'): PagePlace {
    const seenOn = requester.documentOrigin ?? otherwise;
    if (requester.tabId < 0)
      return this.outsideTabs(requester.documentOrigin, feature) ?? unknownPlace('worker', seenOn);
    const pageOrigin = this.pageOf(requester);
    if (pageOrigin !== null) return this.onPage(requester, pageOrigin, feature);
    const insecure = this.insecurePageOf(requester);
    return insecure === null ? unknownPlace('document', seenOn) : { kind: 'insecure', seenOn: insecure };
  }

  /** The page if it was loaded over http; otherwise null. */
  private insecurePageOf(requester: Requester): Origin | null {
    const page = this.deciding(requester).at(-1);
    return page?.parentId === null && page.origin === null ? webOriginOfUrl(page.url) : null;
  }

  /** Whether the browser has reported the document that decides. */
  isKnown(requester: Requester): boolean {
    return this.deciding(requester).length > 0;
  }

  /** The origin of the page; null if the page is unknown, or has none. */
  pageOf(requester: Requester): Origin | null {
    const deciding = this.deciding(requester);
    const [asking, page] = [deciding[0], deciding.at(-1)];
    if (asking?.parentId === null && !isOfParent(requester)) return requester.documentOrigin;
    return page?.parentId === null ? page.origin : null;
  }

  /** The document that asks and those around it, out to the page. A frame's own document is requested by the one around it. */
  deciding(requester: Requester): readonly KnownDocument[] {
    const { tabId, frameId, parentDocumentId } = requester;
    return this.known.around(
      isOfParent(requester)
        ? this.known.parentIn(tabId, frameId, parentDocumentId)
        : this.documentOf(requester)?.id,
    );
  }

  private onPage(requester: Requester, pageOrigin: Origin, feature: Feature): PagePlace {
    const deciding = this.deciding(requester);
    const origin = isOfParent(requester) ? (deciding[0]?.origin ?? null) : requester.documentOrigin;
    return placeBy(verdictOn(origin, deciding, feature), pageOrigin);
  }

  /**
   * Workers are in no tab, nor are requests that outlive their tab. Null unless all documents of their origin are on pages of one origin that
   * are there now, or, if there are none, that were left.
   */
  private outsideTabs(origin: Origin | null, feature: Feature): PagePlace | null {
    if (origin === null) return null;
    const pages = this.known
      .ofOrigin(origin)
      .map(({ id }) => this.known.around(id))
      .filter((around) => around.at(-1)?.parentId === null);
    const present = pages.filter((around) => around.at(-1)?.left === null);
    const possible = present.length === 0 ? pages : present;
    const [pageOrigin = null, ...others] = new Set(possible.map((around) => around.at(-1)?.origin ?? null));
    if (pageOrigin === null || others.length > 0) return null;
    return placeBy(strictest(possible.map((around) => verdictOn(origin, around, feature))), pageOrigin);
  }

  /** The document that made a request, if it is known. */
  private documentOf(requester: Requester): KnownDocument | undefined {
    const { documentId, tabId, frameId, documentOrigin } = requester;
    if (documentId !== undefined) return this.known.get(documentId);
    if (isOfParent(requester)) return undefined;
    // Firefox does not name the document of a `keepalive` request nor of a worker. A frame other than the page never changes its page.
    const inFrame = this.known.inFrame(tabId, frameId);
    return (
      inFrame.findLast(({ origin }) => origin === documentOrigin) ??
      inFrame.findLast(({ id }) => inheritedOrigin(this.known.around(id)) === documentOrigin) ??
      // One in a sandbox has no origin, whatever its URL says.
      (documentOrigin === null && inFrame.length === 1 ? inFrame[0] : undefined)
    );
  }
}

/** Whether this is the request for a frame's own document. */
const isOfParent = ({ documentId, parentDocumentId }: Requester): boolean =>
  documentId === undefined && parentDocumentId !== undefined;

const unknownPlace = (unknown: Unknown, seenOn: Origin): PagePlace => ({ kind: 'unknown', unknown, seenOn });

function placeBy(verdict: Verdict, pageOrigin: Origin): PagePlace {
  if (verdict === 'allowed') return { kind: 'known', contextOrigin: pageOrigin };
  if (verdict === 'forbidden') return { kind: 'forbidden', seenOn: pageOrigin };
  return unknownPlace(verdict, pageOrigin);
}
