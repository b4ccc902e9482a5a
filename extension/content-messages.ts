import type { RequestEligibility } from './eligibility-mark';
import type { AttributionMethod } from './messages';

/** What a document can tell that a click lacks. */
export const clickLacks = ['attribute', 'elsewhere', 'feature'] as const;

/**
 * What a content script tells the background worker. All of it is untrusted: the background takes tab, frame and origins from the
 * browser's `sender`, and nothing here can name another origin.
 */
export type ContentMessage =
  /**
   * An element's request for `url` is eligible. `getsRule`: a rule is to set its header. There is none for a request that was made, and
   * none while the page is left.
   */
  | { readonly kind: 'eligible-request'; readonly url: string; readonly getsRule: boolean }
  /** A request of `fetch` or `XMLHttpRequest` is eligible, in a document without an origin. */
  | { readonly kind: 'eligible-fetch'; readonly url: string; readonly eligibility: RequestEligibility }
  /** The pointer or the focus came to a link, whose click the background may soon be told of. This starts it. */
  | { readonly kind: 'wake' }
  /** A person pressed a link whose navigation is eligible. The header must be ready in case they follow it. */
  | { readonly kind: 'link-pressed'; readonly url: string }
  /**
   * A person may get to `url` by such a link, or a call of `window.open`. `sources` are the URLs of its `attributionsrc`; `press` counts the
   * presses in the document, and `time` is in ms since 1970. `inMenu`: the press opened the link's menu, from which a person may open a tab.
   */
  | {
      readonly kind: 'navigation';
      readonly url: string;
      readonly sources: readonly string[];
      readonly press: number;
      readonly time: number;
      readonly inMenu: boolean;
    }
  /**
   * A person gets to `url` by a link without `attributionsrc`, or by a call of `window.open` without this feature. Sent in debug mode only: the
   * log says why a source there does not count. Fields as of `navigation`.
   */
  | {
      readonly kind: 'ineligible-click';
      readonly url: string;
      readonly lack: (typeof clickLacks)[number];
      readonly time: number;
      readonly inMenu: boolean;
    }
  /** The URLs of an element's `attributionsrc`, which the background requests. */
  | { readonly kind: 'attributionsrc'; readonly urls: readonly string[] }
  /** A person followed a link to a trial's configuration, which they are to be shown. */
  | { readonly kind: 'trial-link'; readonly url: string }
  /** Asks which recording rules apply to this document. Answer: `ContentRule[]`. */
  | { readonly kind: 'rules' }
  /** A person did something in the document, which lets it use `navigator.attribution`. */
  | { readonly kind: 'activation' }
  /** A page calls `navigator.attribution`. `options` are JSON; null: they are too long. Answer: `W3cAnswer`. */
  | { readonly kind: 'attribution-call'; readonly call: AttributionMethod; readonly options: string | null }
  /** Asks which ad of a campaign to show, whose sources have these origins. Answer: `Arm`, or null. Pages never get it. */
  | {
      readonly kind: 'lift-ad';
      readonly reportingOrigin: string;
      readonly destination: string;
      readonly campaign: string;
    }
  /** An element met a rule. `values` are the raw strings found, in the order of the rule's extractors. */
  | { readonly kind: 'rule-met'; readonly ruleId: string; readonly values: readonly (string | null)[] };

/** In UTF-16 code units: the longest options of a call of `navigator.attribution`. Valid ones are shorter. */
export const LONGEST_OPTIONS = 20_000;

/** What the background asks a document to send, in Base64, because its header asked for it. */
export interface SendReport {
  readonly kind: 'send-report';
  readonly url: string;
  readonly report: string;
}

/** What the background asks a content script: which `allow` attribute these frames of its document have. Answer: `FrameAttribute[][]`. */
export interface FrameQuestion {
  readonly kind: 'frame-attributes';
  readonly frames: readonly AskedFrame[];
}

export interface AskedFrame {
  /** The browser's id, by which Firefox's content scripts know it. */
  readonly frameId: number;
  /** The URL that it was first to show, shortened, by which Chrome's content scripts know it; null if the background did not hear of it. */
  readonly url: string | null;
}

/** What an element says of its frame. A frame that may be one of several elements' has all of theirs; an unknown frame has none. */
export interface FrameAttribute {
  /** The directives of `allow` about attribution; empty if there are none. */
  readonly allow: string;
  /** What the frame is to show, shortened. */
  readonly src: string;
}

/** In UTF-16 code units: a content script leaves longer URLs alone. */
export const LONGEST_URL = 8192;

/** In UTF-16 code units: the longest directives of an `allow` attribute that are read. */
export const LONGEST_DIRECTIVE = 2000;

/** The part of a recording rule that the page needs. */
export interface ContentRule {
  readonly id: string;
  readonly selector: string | null;
  readonly on: 'viewable' | 'click' | 'visit' | 'submit';
  readonly extractors: readonly { readonly selector: string | null; readonly attribute: string | null }[];
}
