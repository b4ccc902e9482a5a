import type { Asker, PagePlace, Unknown } from '../../src/model/requests';
import type { Origin } from '../../src/model/units';
import { inheritedOrigin, type KnownDocument } from './known-document';
import type { DocumentIds, RememberedDocuments } from './remembered-documents';
import { strictest, verdictOn, type Verdict } from './verdict';

/** Who made a request or sent a message, as the browser says. */
export interface Maker extends Asker, DocumentIds {
  /** In bytes: how much of a response waits with it. */
  readonly size?: number;
}

/** Tells on which page a document or worker does something, as far as that is known now. */
export class Places {
  constructor(private readonly known: RememberedDocuments) {}

  /** @param otherwise the origin under which the log has it if neither the page nor the maker has one */
  of(maker: Maker, otherwise: Origin): PagePlace {
    const seenOn = maker.documentOrigin ?? otherwise;
    if (maker.tabId < 0) return this.outsideTabs(maker.documentOrigin) ?? unknownPlace('worker', seenOn);
    const pageOrigin = this.pageOf(maker);
    return pageOrigin === null ? unknownPlace('document', seenOn) : this.onPage(maker, pageOrigin);
  }

  /** Whether the browser has told of the document that decides. */
  isTold(maker: Maker): boolean {
    return this.deciding(maker).length > 0;
  }

  /** The origin of the page; null if the page is unknown, or has none. */
  pageOf(maker: Maker): Origin | null {
    const { parentFrameId, parentDocumentId, documentOrigin } = maker;
    if (!this.isTold(maker)) return null;
    const document = this.documentOf(maker);
    if (parentDocumentId === undefined && (parentFrameId === -1 || document?.parentId === null))
      return documentOrigin;
    const page = this.known.around(parentDocumentId ?? document?.id).at(-1);
    return page?.parentId === null ? page.origin : null;
  }

  /** The document that asks and those around it, out to the page. A frame's own document is requested by the one around it. */
  deciding(maker: Maker): readonly KnownDocument[] {
    return this.known.around(isOfParent(maker) ? maker.parentDocumentId : this.documentOf(maker)?.id);
  }

  private onPage(maker: Maker, pageOrigin: Origin): PagePlace {
    const deciding = this.deciding(maker);
    const origin = isOfParent(maker) ? (deciding[0]?.origin ?? null) : maker.documentOrigin;
    return placeBy(verdictOn(origin, deciding), pageOrigin);
  }

  /**
   * Workers are in no tab, nor are requests that outlive their tab. Null unless all documents of their origin are on pages of one origin that
   * are there now, or, if there are none, that were left.
   */
  private outsideTabs(origin: Origin | null): PagePlace | null {
    if (origin === null) return null;
    const pages = this.known
      .ofOrigin(origin)
      .map(({ id }) => this.known.around(id))
      .filter((around) => around.at(-1)?.parentId === null);
    const present = pages.filter((around) => around.at(-1)?.left === null);
    const possible = present.length === 0 ? pages : present;
    const [pageOrigin = null, ...others] = new Set(possible.map((around) => around.at(-1)?.origin ?? null));
    if (pageOrigin === null || others.length > 0) return null;
    return placeBy(strictest(possible.map((around) => verdictOn(origin, around))), pageOrigin);
  }

  /** The document that made a request, if it is known. */
  private documentOf(maker: Maker): KnownDocument | undefined {
    const { documentId, tabId, frameId, documentOrigin } = maker;
    if (documentId !== undefined) return this.known.get(documentId);
    if (isOfParent(maker)) return undefined;
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
const isOfParent = ({ documentId, parentDocumentId }: Maker): boolean =>
  documentId === undefined && parentDocumentId !== undefined;

const unknownPlace = (unknown: Unknown, seenOn: Origin): PagePlace => ({ kind: 'unknown', unknown, seenOn });

function placeBy(verdict: Verdict, pageOrigin: Origin): PagePlace {
  if (verdict === 'allowed') return { kind: 'known', contextOrigin: pageOrigin };
  if (verdict === 'forbidden') return { kind: 'forbidden', seenOn: pageOrigin };
  return unknownPlace(verdict, pageOrigin);
}
