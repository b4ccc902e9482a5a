import { useEffect, useState } from 'preact/hooks';
import { parseRoute, type Route } from './route';

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const update = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', update);
    // It may have changed before anybody listened: effects wait until the page is painted.
    update();
    return () => removeEventListener('hashchange', update);
  }, []);
  return route;
}
