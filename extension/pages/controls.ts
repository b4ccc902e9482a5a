import { ask, byId } from './background';

/** Runs what a person asked for. */
export type Act = (action: () => Promise<unknown>) => void;

/** Runs actions, brings the page up to date after each, and says so when one cannot be done. */
export const actWith =
  (refresh: () => Promise<void>): Act =>
  (action) => {
    action()
      .then(refresh)
      .then(() => (byId('problem').hidden = true))
      .catch((error: unknown) => {
        byId('problem').hidden = false;
        byId('problem').textContent = error instanceof Error ? error.message : String(error);
      });
  };

/** The buttons that turn the clock: `data-advance` says how far, in milliseconds or to the next report. */
export function listenToClock(act: Act): void {
  byId('reset-clock').addEventListener('click', () => act(() => ask({ kind: 'reset-clock' })));
  for (const button of document.querySelectorAll<HTMLElement>('[data-advance]')) {
    const { advance = '' } = button.dataset;
    const by = advance === 'next-report' ? advance : Number(advance);
    button.addEventListener('click', () => act(() => ask({ kind: 'advance-clock', by })));
  }
}
