import { listen } from './listen';
import { watchClicks } from './watch-clicks';

/** The most windows and links that scripts can say one press leads to, in each content script. One of them makes a source: the one that is followed. */
const MOST_OF_PRESS = 5;
/** In ms, by the device's clock: how long a press activates a page (HTML, 6.4.1). */
const ACTIVATION = 5000;

/** A press of the person on this document. A navigation source needs one: `none` leads to nothing. */
export type Gesture = Press | { readonly kind: 'none' };

interface Press {
  readonly kind: 'press';
  /** Its number. */
  readonly press: number;
  /** In ms since 1970: from when on it leads somewhere. */
  readonly time: number;
}

const NONE: Gesture = { kind: 'none' };

/** The last one. */
let last: Press | null = null;
let usesByScripts = 0;

function press(): void {
  last = { kind: 'press', press: (last?.press ?? 0) + 1, time: Date.now() };
  usesByScripts = 0;
}

/** Watches a person's presses, each of which may lead to one navigation. */
export function watchGestures(): void {
  /** Whether a click belongs to the last press. */
  let isPressed = false;
  let end: ReturnType<typeof setTimeout> | undefined;
  const begin = (): void => {
    clearTimeout(end);
    isPressed = true;
  };
  // A click on a label is followed by one on its control, in the same task.
  const endSoon = (): void => {
    clearTimeout(end);
    end = setTimeout(() => {
      isPressed = false;
    });
  };
  const onPress = (event: Event): void => {
    if (!event.isTrusted) return;
    // A key that is held down is pressed once, and may click often.
    if (!(event as KeyboardEvent).repeat) press();
    begin();
  };
  for (const type of ['pointerdown', 'keydown'])
    listen(window, type, onPress, { capture: true, passive: true });
  // A key clicks when it goes down, or in the task in which it is released.
  const onRelease = (event: Event): void => {
    if (event.isTrusted) endSoon();
  };
  listen(window, 'keyup', onRelease, { capture: true, passive: true });
  watchClicks(() => {
    // Assistive technology clicks without a press.
    if (!isPressed) press();
    begin();
    endSoon();
  });
}

/**
 * The press that a click of the person, or the menu that they opened, belongs to.
 * @param time of the click, in ms since 1970
 */
export const gestureOfClick = (time: number): Gesture => (last === null ? NONE : { ...last, time });

/** The press that gave the page its transient activation, for what a script starts. A press in a frame activates the pages around it, too. */
export function gestureOfScript(): Gesture {
  if (last === null || Date.now() - last.time > ACTIVATION) return NONE;
  if (!navigator.userActivation.isActive || usesByScripts >= MOST_OF_PRESS) return NONE;
  usesByScripts += 1;
  return last;
}
