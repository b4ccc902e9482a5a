import {
  LONGEST_DIRECTIVE,
  type AskedFrame,
  type FrameAttribute,
  type FrameQuestion,
} from '../content-messages';
import { shortened } from '../urls';
import { frameIdOf, knowsFrameIds, onQuestion } from './send';
import { findClosedTrees } from './shadow-trees';

/** The elements that show a document of their own. */
export const frameSelector = 'iframe,frame,object,embed';
const names: ReadonlySet<string> = new Set(frameSelector.split(','));

/** In ms: how long an element is remembered after it was removed, because its frame may still get answers. */
const MEMORY = 10_000;
/** How many elements are remembered before removed ones are forgotten. */
const MANY = 500;
/** How much of a page's time searches of the whole document may take: a frame must not keep the page around it busy. */
const SEARCH_SHARE = 0.1;
/** The most elements that one frame may be of. Beyond that, nobody is allowed. */
const MOST_MATCHES = 20;

/** The most that an element's frames are known by: the first, which Chrome's frame keeps for good, and the last ones. */
const MOST_KEYS = 10;

/** What is known of an element since it came. */
interface Seen {
  /** What its frames are known by: an element that is put elsewhere gets another. */
  readonly keys: Set<string>;
  time: number;
}

const seenOf = new Map<HTMLElement, Seen>();
const elementsBy = new Map<string, Set<HTMLElement>>();
let many = MANY;
let nextSearch = -Infinity;

export const isFrame = (target: unknown): target is HTMLElement =>
  target instanceof HTMLElement && names.has(target.localName);

/** Remembers an element, to know which frame it has. */
export function noteFrame(element: HTMLElement): void {
  const frameId = frameIdOf(element);
  if (!knowsFrameIds()) note(element, keyOfUrl(shownBy(element)));
  // An `object` has no frame yet when it comes.
  else note(element, frameId === null ? null : keyOfId(frameId));
  if (seenOf.size < many) return;
  forgetRemoved();
  many = Math.max(MANY, 2 * seenOf.size);
}

/** Remembers what an element was to show before its attribute changed: the first URL says which frame it has. */
export function noteFormerUrl({ type, target, attributeName, oldValue }: MutationRecord): void {
  if (type !== 'attributes' || attributeName === 'attributionsrc' || !isFrame(target)) return;
  noteFrame(target);
  const former = attributeName === 'srcdoc' && oldValue !== null ? SRCDOC : resolved(oldValue ?? '');
  if (!knowsFrameIds()) note(target, keyOfUrl(former));
}

function note(element: HTMLElement, key: string | null): void {
  const seen = seenOf.get(element) ?? { keys: new Set(), time: 0 };
  seenOf.set(element, seen);
  seen.time = performance.now();
  if (key === null) return;
  const [first, second] = seen.keys;
  // The last one stands last.
  if (key !== first) seen.keys.delete(key);
  seen.keys.add(key);
  elementsBy.set(key, (elementsBy.get(key) ?? new Set()).add(element));
  if (seen.keys.size > MOST_KEYS && second !== undefined) {
    seen.keys.delete(second);
    forgetKey(element, second);
  }
}

function forgetKey(element: HTMLElement, key: string): void {
  elementsBy.get(key)?.delete(element);
  if (elementsBy.get(key)?.size === 0) elementsBy.delete(key);
}

function forgetRemoved(): void {
  const now = performance.now();
  for (const [element, { keys, time }] of seenOf) {
    if (element.isConnected || time > now - MEMORY) continue;
    seenOf.delete(element);
    for (const key of keys) forgetKey(element, key);
  }
}

/**
 * Answers the background's questions about frames. The background asks after a frame has its document, and gets the answer when the page is
 * no longer busy. Until then the frame registers nothing.
 */
export function answerAboutFrames(): void {
  // Many frames may have had the same URL, and then as many elements are looked at, once.
  onQuestion(({ frames }: FrameQuestion) => {
    const answers = new Map<string, readonly FrameAttribute[]>();
    return frames.map((frame) => {
      const key = knowsFrameIds() ? keyOfId(frame.frameId) : keyOfUrl(frame.url ?? '');
      const answer = answers.get(key) ?? attributesOf(frame);
      answers.set(key, answer);
      return answer;
    });
  });
}

function attributesOf(frame: AskedFrame): readonly FrameAttribute[] {
  const found = elementsOf(frame);
  if (found.length === 0) searchAgain();
  const attributes = (found.length === 0 ? elementsOf(frame) : found).map(attributeOf);
  const different = new Map(attributes.map((one) => [JSON.stringify(one), one]));
  return different.size > MOST_MATCHES ? [{ allow: NOBODY, src: '' }] : [...different.values()];
}

/** The elements that a frame may be of. */
function elementsOf({ frameId, url }: AskedFrame): readonly HTMLElement[] {
  if (knowsFrameIds()) return [...(elementsBy.get(keyOfId(frameId)) ?? [])];
  return url === null ? [] : [...(elementsBy.get(keyOfUrl(url)) ?? [])];
}

/** Looks where the observers do not: into closed shadow trees in the HTML, and for frames that elements got after they came. */
function searchAgain(): void {
  const start = performance.now();
  if (start < nextSearch) return;
  findClosedTrees();
  for (const element of seenOf.keys()) if (element.isConnected) noteFrame(element);
  const end = performance.now();
  nextSearch = end + (end - start) / SEARCH_SHARE;
}

function attributeOf(element: HTMLElement): FrameAttribute {
  // Others have no such attribute.
  const directives = element instanceof HTMLIFrameElement ? element.allow.split(';') : [];
  const allow = directives.filter((directive) => aboutAttribution.test(directive)).join(';');
  // What is too long to be read allows nobody.
  return { allow: allow.length <= LONGEST_DIRECTIVE ? allow : NOBODY, src: shownBy(element) };
}

const aboutAttribution =
  /^[\t\n\f\r ]*(attribution-reporting|save-impression|measure-conversion)([\t\n\f\r ]|$)/i;
const NOBODY = "attribution-reporting 'none';save-impression 'none';measure-conversion 'none'";
const SRCDOC = 'about:srcdoc';

/** What the frame of an element is to show. */
function shownBy(element: HTMLElement): string {
  if (element.localName === 'iframe' && element.hasAttribute('srcdoc')) return SRCDOC;
  return resolved(element.getAttribute(element.localName === 'object' ? 'data' : 'src') ?? '');
}

function resolved(url: string): string {
  const { href, protocol } = URL.canParse(url, document.baseURI)
    ? new URL(url || 'about:blank', document.baseURI)
    : new URL('about:blank');
  // A script's result is a document without a URL of its own.
  return shortened(protocol === 'javascript:' ? 'about:blank' : href);
}

const keyOfId = (frameId: number): string => `#${frameId}`;
/** Browsers may use https where a page says http. */
const keyOfUrl = (url: string): string => url.replace(/^http:/, 'https:');
