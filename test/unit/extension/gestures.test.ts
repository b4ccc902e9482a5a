import type * as Gestures from '../../../extension/content/gestures';

type Gesture = Gestures.Gesture;

const START = 1_000_000;

let listeners: Map<string, (event: object) => void>;
let gestures: typeof Gestures;

/** What the browser tells a document whose page has the activation of a press, here or in a frame. */
const happens = (type: string, more: object = {}): void =>
  listeners.get(type)?.({ type, isTrusted: true, button: 0, ...more });

/** A task of its own. */
const task = (): Promise<void> => jest.advanceTimersByTimeAsync(1);

const click = (): Gesture => {
  happens('click');
  return gestures.gestureOfClick(Date.now());
};

beforeEach(async () => {
  jest.useFakeTimers({ now: START });
  listeners = new Map();
  class MutationObserver {
    observe(): void {}
  }
  const window = {
    addEventListener: (type: string, listener: (event: object) => void) => {
      const earlier = listeners.get(type);
      listeners.set(type, (event) => {
        earlier?.(event);
        listener(event);
      });
    },
  };
  Object.assign(globalThis, { window, document: {}, ShadowRoot: EventTarget, MutationObserver });
  const navigator = { userActivation: { isActive: true } };
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: navigator });
  await jest.isolateModulesAsync(async () => {
    gestures = await import('../../../extension/content/gestures');
  });
  gestures.watchGestures();
});
afterEach(() => void jest.useRealTimers());

const pressOf = (gesture: Gesture): number | null => (gesture.kind === 'press' ? gesture.press : null);

test('a click on a label and the one that the browser dispatches on its control are one press', async () => {
  happens('pointerdown');
  await task();
  expect([click(), click()].map(pressOf)).toEqual([1, 1]);
});

test('nor are they two where assistive technology clicks on the label', () => {
  expect([click(), click()].map(pressOf)).toEqual([1, 1]);
});

test('a key that is held down is one press, however often it clicks', async () => {
  const clicked: Gesture[] = [];
  for (let count = 0; count < 20; count++) {
    happens('keydown', { repeat: count > 0 });
    clicked.push(click());
    // The next repetition may come before the task in which a click ends, or after it.
    if (count % 2 === 0) await task();
  }
  expect(new Set(clicked.map(pressOf))).toEqual(new Set([1]));
});

test.each([
  ['a press whose click comes at once', ['pointerdown', 'click', 'pointerdown', 'click'], 2],
  ['a key whose click comes when it is released', ['keydown', 'keyup click', 'keydown', 'keyup click'], 2],
  ['typing, before assistive technology clicks', ['keydown', 'keyup', 'click'], 2],
  ['clicks of assistive technology', ['click', 'click'], 2],
])('%s is a press', async (_what, tasks, presses) => {
  for (const events of tasks) {
    for (const type of events.split(' ')) happens(type);
    await task();
  }
  expect(pressOf(gestures.gestureOfClick(Date.now()))).toBe(presses);
});

test('a press that begins before the task in which the click before ends is one press with its click', async () => {
  for (const type of ['pointerdown', 'click', 'pointerdown']) happens(type);
  await task();
  expect(pressOf(click())).toBe(2);
});

describe('what a script starts', () => {
  test('has the time of its press', async () => {
    happens('pointerdown');
    await jest.advanceTimersByTimeAsync(4900);
    expect(gestures.gestureOfScript()).toEqual({ kind: 'press', press: 1, time: START });
  });

  test('has its press for few windows', () => {
    happens('pointerdown');
    const given = Array.from({ length: 20 }, () => gestures.gestureOfScript());
    expect(given.filter(({ kind }) => kind === 'press')).toHaveLength(5);
  });

  test('has no press that is older than an activation, although a press in a frame renewed the page’s', async () => {
    happens('pointerdown');
    await jest.advanceTimersByTimeAsync(5001);
    expect(gestures.gestureOfScript()).toEqual({ kind: 'none' });
  });

  test('has none at all before there was one here', () => {
    expect(gestures.gestureOfScript()).toEqual({ kind: 'none' });
  });
});
