import { listen } from './listen';
import { watchClicks } from './watch-clicks';

let isFree = false;

/** Watches a person's presses, each of which may lead to one navigation that a script starts. */
export function watchGestures(): void {
  let isPressed = false;
  const press = ({ isTrusted }: Event): void => {
    isFree ||= isTrusted;
    isPressed ||= isTrusted;
  };
  for (const type of ['pointerdown', 'keydown'])
    listen(window, type, press, { capture: true, passive: true });
  watchClicks(() => {
    // Assistive technology clicks without a press.
    isFree ||= !isPressed;
    isPressed = false;
  });
}

/**
 * Whether the page has transient activation from a press that has led to no navigation source yet. Uses the press up: a page could
 * otherwise start many navigations within the activation.
 */
export function takeGesture(): boolean {
  const taken = isFree && navigator.userActivation.isActive;
  isFree &&= !taken;
  return taken;
}
