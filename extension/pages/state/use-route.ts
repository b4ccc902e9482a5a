import { useEffect, useState } from 'preact/hooks';
import { parseRoute, type Route } from './route';

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const update = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', update);
    // The route may have changed before this effect ran, because effects wait for the first paint.
    update();
    return () => removeEventListener('hashchange', update);
  }, []);
  return route;
}
