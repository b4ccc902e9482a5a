import { listen } from './listen';
import { watchClicks } from './watch-clicks';

/** The most windows and links that one press can be said to lead to. One of them leads to a source: the one that is followed. */
const MOST_OF_PRESS = 5;

/** A press of the person on this document, by its number. A navigation source needs one: `none` leads to nothing. */
export type Gesture = { readonly kind: 'press'; readonly press: number } | { readonly kind: 'none' };

const NONE: Gesture = { kind: 'none' };

/** How many presses there were. */
let presses = 0;
let uses = 0;

const press = (): void => {
  presses += 1;
  uses = 0;
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
export function gestureOfClick(): Gesture {
  if (presses === 0 || uses >= MOST_OF_PRESS) return NONE;
  uses += 1;
  return { kind: 'press', press: presses };
}

/** The press whose transient activation the page has, for what a script starts. */
export const gestureOfScript = (): Gesture => (navigator.userActivation.isActive ? gestureOfClick() : NONE);
