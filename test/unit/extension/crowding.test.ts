import { toForget } from '../../../extension/background/documents/crowding';
import type { KnownDocument } from '../../../extension/background/documents/known-document';

const frame = (id: string, parentId: string, frameId: number): KnownDocument => ({
  id,
  parentId,
  tabId: 1,
  frameId,
  url: 'https://ad.example/',
  origin: null,
  level: 'frames',
  header: {},
  attribute: {},
  hasKnownFrames: true,
  isShown: true,
  since: 0,
  left: null,
});

const many = (frameOf: (index: number) => KnownDocument): readonly KnownDocument[] =>
  Array.from({ length: 500 }, (_, index) => frameOf(index));

const honest = [frame('honest', 'page', 10), frame('within honest', 'honest', 11)];

test.each([
  ['no frames', [], undefined],
  ['frames of the page alone', [frame('a', 'page', 1), frame('b', 'page', 2)], 'a'],
  ['a frame that shows document after document', many((index) => frame(`ad ${index}`, 'page', 1)), 'ad 0'],
  [
    'a frame with frames side by side',
    [frame('ad', 'page', 1), ...many((index) => frame(`within ${index}`, 'ad', 20 + index))],
    'ad',
  ],
  [
    'a frame with frames within frames',
    [
      frame('ad', 'page', 1),
      ...many((index) => frame(`within ${index}`, index === 0 ? 'ad' : `within ${index - 1}`, 20 + index)),
    ],
    'ad',
  ],
])('of %s, the oldest of the largest part is forgotten', (_, frames, id) => {
  expect(toForget(frames)?.id).toBe(id);
  // Others that were there before stay.
  if (frames.length >= 500) expect(toForget([...honest, ...frames])?.id).toBe(id);
});
