import { listen } from './listen';
import { send } from './send';

/** In ms: more often, the background need not know. */
const PAUSE = 1000;

let last = -Infinity;

/** Tells the background of what activates the page (HTML, "activation triggering input event"), before the page hears of it. */
export function watchActivations(): void {
  for (const type of ['keydown', 'mousedown', 'pointerdown', 'pointerup', 'touchend'])
    listen(window, type, (event) => isActivation(event) && tell(), { capture: true, passive: true });
}

function tell(): void {
  const now = performance.now();
  if (now - last < PAUSE) return;
  last = now;
  void send({ kind: 'activation' });
}

function isActivation(event: Event): boolean {
  if (!event.isTrusted) return false;
  if (event.type === 'keydown') return (event as KeyboardEvent).key !== 'Escape';
  const isMouse = (event as PointerEvent).pointerType === 'mouse';
  if (event.type === 'pointerdown') return isMouse;
  return event.type !== 'pointerup' || !isMouse;
}
