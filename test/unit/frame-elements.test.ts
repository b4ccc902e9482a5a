import type { AskedFrame, FrameAttribute, FrameQuestion } from '../../extension/messages';

type Listener = (question: FrameQuestion, sender: null, send: (answer: unknown) => void) => void;

class HTMLElement {
  readonly localName = 'iframe';
  readonly isConnected = true;
  readonly allow = '';
  src = '';

  hasAttribute(name: string): boolean {
    return name === 'src';
  }

  getAttribute(): string {
    return this.src;
  }
}

const urlOf = (index: number): string => `https://ads.example/${index}`;

test('of the URLs that a frame’s element ever had, the first and the last few are remembered', async () => {
  let listener: Listener | undefined;
  const onMessage = { addListener: (one: Listener) => void (listener = one) };
  Object.assign(globalThis, {
    chrome: { runtime: { onMessage, sendMessage: () => undefined } },
    document: { baseURI: 'https://news.example/', querySelectorAll: () => [] },
    ...{ HTMLElement, HTMLIFrameElement: HTMLElement },
  });
  const element = new HTMLElement();
  await jest.isolateModulesAsync(async () => {
    const { answerAboutFrames, noteFormerUrl, noteFrame } = await import('../../extension/content/frames');
    answerAboutFrames();
    element.src = urlOf(0);
    noteFrame(element as unknown as globalThis.HTMLElement);
    for (let index = 0; index < 1000; index++) {
      element.src = urlOf(index + 1);
      const record = { type: 'attributes', attributeName: 'src', oldValue: urlOf(index), target: element };
      noteFormerUrl(record as unknown as MutationRecord);
    }
  });
  const frames = Array.from({ length: 1001 }, (_, index): AskedFrame => ({ frameId: 1, url: urlOf(index) }));
  let found: readonly (readonly FrameAttribute[])[] = [];
  listener?.({ frames } as unknown as FrameQuestion, null, (answer) => {
    found = answer as typeof found;
  });
  const remembered = found.flatMap((one, index) => (one.length > 0 ? [index] : []));
  expect(remembered).toEqual([0, ...Array.from({ length: 9 }, (_, index) => 992 + index)]);
});
