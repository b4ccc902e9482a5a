import { useEffect, useState } from 'preact/hooks';

/** In ms: before the work, so that dragging a slider does not begin anew at each step, and at a time, so that the page can draw in between. */
const [PAUSE, SLICE] = [200, 20];

/**
 * Works out what is found at each place, in order, and keeps it.
 * @param about of what; for another one nothing is found yet
 * @param find the work at a place, in steps
 */
export function useFound<Place, Found>(
  about: string,
  places: readonly Place[],
  find: (at: Place) => Iterator<unknown, Found>,
): ReadonlyMap<Place, Found> {
  const [state, setState] = useState({ about, found: new Map<Place, Found>() });
  const before = state.about === about ? state.found : new Map<Place, Found>();
  useEffect(() => {
    const open = [...new Set(places)].filter((at) => !before.has(at)).map((at) => ({ at, steps: find(at) }));
    let found = before;
    const next = (): void => {
      const [current] = open;
      if (current === undefined) return;
      const until = performance.now() + SLICE;
      let step = current.steps.next();
      while (step.done !== true && performance.now() < until) step = current.steps.next();
      if (step.done === true) {
        open.shift();
        found = new Map([...found, [current.at, step.value]]);
        setState({ about, found });
      }
      timer = setTimeout(next);
    };
    let timer = setTimeout(next, PAUSE);
    return () => clearTimeout(timer);
    // What was found is no reason to begin again.
  }, [about, places[0]]);
  return before;
}
