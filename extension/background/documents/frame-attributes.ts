import browser, { type Tabs } from 'webextension-polyfill';
import type { AskedFrame, FrameAttribute, FrameQuestion } from '../../content-messages';
import type { Json } from '../../../src/model/json';
import { parse } from '../../../formats/codec/issues';
import { frameAnswer, MOST_ASKED } from './frame-answer';
import type { KnownDocument } from './known-document';

/** The most frames that may wait for the next question to a document. */
const MOST_WAITING = 500;
/** How often a run of the background asks about one document of a frame, and of how many it remembers that. */
const MOST_TRIES = 5;
const MOST_COUNTED = 5000;

/** A document of a frame, and how its frame is known to the document around it. */
interface Question extends AskedFrame {
  readonly documentId: string;
}

/** What both browsers take and the polyfill's types lack. */
interface ToDocument extends Tabs.SendMessageOptionsType {
  readonly documentId: string;
}

/**
 * Asks documents which `allow` attribute their frames have: after a frame's document is there, so that no answer is older than what the
 * attribute was then. One question at a time to each document, so that frames decide how many there are, and pages cannot.
 */
export class FrameAttributes {
  /** The questions to each document. */
  private readonly questions = new Map<string, Question[]>();
  private readonly tries = new Map<string, number>();

  /**
   * @param onAnswer called with what the surrounding document says about a document's frame: about its element, or each element that it can be
   * @param onEnd called if nobody answered
   */
  constructor(
    private readonly onAnswer: (documentId: string, attributes: readonly FrameAttribute[]) => void,
    private readonly onEnd: (tabId: number) => void,
  ) {}

  /** Whether the document around this one is asked about its frame now. */
  isAsking({ id, parentId }: KnownDocument): boolean {
    return this.questions.get(parentId ?? '')?.some(({ documentId }) => documentId === id) === true;
  }

  ask(parent: KnownDocument, question: Question): void {
    const tries = this.tries.get(question.documentId) ?? 0;
    const waiting = this.questions.get(parent.id) ?? [];
    const isAsked = waiting.some(({ documentId }) => documentId === question.documentId);
    if (isAsked || tries >= MOST_TRIES || waiting.length >= MOST_WAITING) return;
    this.tries.set(question.documentId, tries + 1);
    const [oldest] = this.tries.keys();
    if (this.tries.size > MOST_COUNTED && oldest !== undefined) this.tries.delete(oldest);
    waiting.push(question);
    if (this.questions.has(parent.id)) return;
    this.questions.set(parent.id, waiting);
    void this.askAll(parent, waiting);
  }

  private async askAll({ id: documentId, tabId }: KnownDocument, waiting: Question[]): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.slice(0, MOST_ASKED);
      const frames = asked.map(({ frameId, url }) => ({ frameId, url }));
      const to: ToDocument = { documentId };
      // It rejects where there is no content script, or the document is gone.
      const answer: unknown = await browser.tabs
        .sendMessage(tabId, { kind: 'frame-attributes', frames } satisfies FrameQuestion, to)
        .catch(() => null);
      waiting.splice(0, asked.length);
      const { value } = parse((answer ?? null) as Json, frameAnswer);
      for (const [index, question] of asked.entries())
        this.onAnswer(question.documentId, value?.[index] ?? []);
    }
    this.questions.delete(documentId);
    this.onEnd(tabId);
  }
}
