import type { AskedFrame, FrameAttribute, FrameQuestion } from '../../../extension/content-messages';

type Listener = (question: FrameQuestion, sender: null, send: (answer: unknown) => void) => void;

/** How often the attribute of an element was read. */
let reads = 0;

class HTMLElement {
  readonly localName = 'iframe';
  readonly isConnected = true;
  src = '';

  get allow(): string {
    reads += 1;
    return '';
  }

  hasAttribute(name: string): boolean {
    return name === 'src';
  }

  getAttribute(): string {
    return this.src;
  }
}

const urlOf = (index: number): string => `https://ads.example/${index}`;

/** What the content script answers to a question, once it has seen something. */
async function answersTo(
  frames: readonly AskedFrame[],
  see: (noteFrame: (element: HTMLElement) => void, noteFormerUrl: (record: object) => void) => void,
): Promise<readonly (readonly FrameAttribute[])[]> {
  let listener: Listener | undefined;
  const onMessage = { addListener: (one: Listener) => void (listener = one) };
  Object.assign(globalThis, {
    chrome: { runtime: { onMessage, sendMessage: () => undefined } },
    document: { baseURI: 'https://news.example/', querySelectorAll: () => [] },
    ...{ HTMLElement, HTMLIFrameElement: HTMLElement },
  });
  await jest.isolateModulesAsync(async () => {
    const { answerAboutFrames, noteFormerUrl, noteFrame } = await import('../../../extension/content/frames');
    answerAboutFrames();
    see(
      (element) => noteFrame(element as unknown as globalThis.HTMLElement),
      (record) => noteFormerUrl(record as MutationRecord),
    );
  });
  let found: readonly (readonly FrameAttribute[])[] = [];
  listener?.({ kind: 'frame-attributes', frames }, null, (answer) => {
    found = answer as typeof found;
  });
  return found;
}

test('of the URLs that a frame’s element ever had, the first and the last few are remembered', async () => {
  const frames = Array.from({ length: 1001 }, (_, index): AskedFrame => ({ frameId: 1, url: urlOf(index) }));
  const found = await answersTo(frames, (noteFrame, noteFormerUrl) => {
    const element = new HTMLElement();
    element.src = urlOf(0);
    noteFrame(element);
    for (let index = 0; index < 1000; index++) {
      element.src = urlOf(index + 1);
      noteFormerUrl({ type: 'attributes', attributeName: 'src', oldValue: urlOf(index), target: element });
    }
  });
  const remembered = found.flatMap((one, index) => (one.length > 0 ? [index] : []));
  expect(remembered).toEqual([0, ...Array.from({ length: 9 }, (_, index) => 992 + index)]);
});

test('fifty frames with one URL have each of their elements read once', async () => {
  const frames = Array.from({ length: 50 }, (_, frameId): AskedFrame => ({ frameId, url: urlOf(0) }));
  reads = 0;
  const found = await answersTo(frames, (noteFrame) => {
    for (let id = 0; id < 400; id++) {
      const element = new HTMLElement();
      element.src = urlOf(0);
      noteFrame(element);
    }
  });
  expect(found).toEqual(Array(50).fill([{ allow: '', src: urlOf(0) }]));
  expect(reads).toBe(400);
});
