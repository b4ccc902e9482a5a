import { listen } from './listen';
import { watchClicks } from './watch-clicks';

/** The most windows and links that scripts can say one press leads to. One of them makes a source: the one that is followed. */
const MOST_OF_PRESS = 5;

/** A press of the person on this document, by its number. A navigation source needs one: `none` leads to nothing. */
export type Gesture = { readonly kind: 'press'; readonly press: number } | { readonly kind: 'none' };

const NONE: Gesture = { kind: 'none' };

/** How many presses there were. */
let presses = 0;
let usesByScripts = 0;

const press = (): void => {
  presses += 1;
  usesByScripts = 0;
};

/** Watches a person's presses, each of which may lead to one navigation. */
export function watchGestures(): void {
  let isPressed = false;
  const onPress = (event: Event): void => {
    // A key that is held down is pressed once.
    if (!event.isTrusted || (event as KeyboardEvent).repeat) return;
    isPressed = true;
    press();
  };
  for (const type of ['pointerdown', 'keydown'])
    listen(window, type, onPress, { capture: true, passive: true });
  watchClicks(() => {
    // Assistive technology clicks without a press.
    if (!isPressed) press();
    isPressed = false;
  });
}

/** The press that a click of the person, or the menu that they opened, belongs to. */
export const gestureOfClick = (): Gesture => (presses === 0 ? NONE : { kind: 'press', press: presses });

/** The press whose transient activation the page has, for what a script starts. */
export function gestureOfScript(): Gesture {
  if (!navigator.userActivation.isActive || usesByScripts >= MOST_OF_PRESS) return NONE;
  usesByScripts += 1;
  return gestureOfClick();
}
