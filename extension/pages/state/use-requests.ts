import { useEffect, useRef, useState } from 'preact/hooks';
import browser from 'webextension-polyfill';
import { REQUESTS_PING, REQUESTS_PORT, type RequestEvent } from '../../request-events';
import { noRequests, withEvent, type Hop } from '../data/request-tree';

/** In ms: how often the page is drawn anew at most, while events arrive. */
const REDRAW = 200;
/** In ms, after the background went away. */
const RECONNECT = 500;

export interface LiveRequests {
  /** The oldest first. */
  readonly hops: readonly Hop[];
  readonly clear: () => void;
}

/** What the browser sends and gets while this is shown, unless `isPaused`. It is in the memory of this page only. */
export function useRequests(isPaused: boolean): LiveRequests {
  const [hops, setHops] = useState<readonly Hop[]>([]);
  const latest = useRef(noRequests);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    let redrawing: ReturnType<typeof setTimeout> | undefined;
    const take = (event: RequestEvent): void => {
      const known = withEvent(latest.current, event);
      // In a pause, requests that are shown still get their answers.
      if (paused.current && known.hops.at(-1)?.id !== latest.current.hops.at(-1)?.id) return;
      latest.current = known;
      redrawing ??= setTimeout(() => {
        redrawing = undefined;
        setHops(latest.current.hops);
      }, REDRAW);
    };
    const disconnect = connect(take);
    return () => {
      disconnect();
      clearTimeout(redrawing);
    };
  }, []);
  const clear = (): void => {
    latest.current = noRequests;
    setHops([]);
  };
  return { hops, clear };
}

/** Stays connected, also when the background ends and starts again. Returns a function that ends the connection. */
function connect(take: (event: RequestEvent) => void): () => void {
  let isOver = false;
  let port = open();
  const pinging = setInterval(() => port.postMessage(null), REQUESTS_PING);
  function open(): browser.Runtime.Port {
    const opened = browser.runtime.connect({ name: REQUESTS_PORT });
    // Only the background can be at the other end.
    opened.onMessage.addListener((event) => take(event as RequestEvent));
    opened.onDisconnect.addListener(() => {
      if (!isOver) setTimeout(() => (port = open()), RECONNECT);
    });
    return opened;
  }
  return () => {
    isOver = true;
    clearInterval(pinging);
    port.disconnect();
  };
}
