import { useEffect, useState } from 'preact/hooks';

/** The same limit as in the style sheets. */
const NARROW = '(max-width: 760px)';

/** Whether the window is narrow, or enlarged until it is. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const read = (): void => setNarrow(query.matches);
    query.addEventListener('change', read);
    return () => query.removeEventListener('change', read);
  }, []);
  return narrow;
}
