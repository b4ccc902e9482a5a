import { useEffect, useRef, useState } from 'preact/hooks';
import browser from 'webextension-polyfill';
import { REQUESTS_PING, REQUESTS_PORT, type ForgetRequests, type NumberedEvent } from '../../request-events';
import { noRequests, withEvent, without, type Hop } from '../data/request-tree';

/** In ms: how often the page is drawn anew at most, while events arrive. */
const REDRAW = 200;
/** In ms, after the background went away. */
const RECONNECT = 500;

export interface LiveRequests {
  /** The oldest first. */
  readonly hops: readonly Hop[];
  /** Forgets these of them, here and in the background; null: all, also what is not shown. */
  readonly clear: (listed: readonly Hop[] | null) => void;
}

/** What the browser sends and gets while this is shown, unless `isPaused`, and what the background has kept. */
export function useRequests(isPaused: boolean): LiveRequests {
  const [hops, setHops] = useState<readonly Hop[]>([]);
  const latest = useRef(noRequests);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  const forget = useRef<(which: ForgetRequests) => void>(() => {});
  useEffect(() => {
    let redrawing: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const take = ({ number, event }: NumberedEvent): void => {
      // When the connection breaks, the background tells again what it has kept.
      if (number <= last) return;
      last = number;
      const known = withEvent(latest.current, event);
      // In a pause, requests that are shown still get their answers.
      if (paused.current && known.hops.at(-1)?.id !== latest.current.hops.at(-1)?.id) return;
      latest.current = known;
      redrawing ??= setTimeout(() => {
        redrawing = undefined;
        setHops(latest.current.hops);
      }, REDRAW);
    };
    const connection = connect(take);
    forget.current = connection.forget;
    return () => {
      connection.end();
      clearTimeout(redrawing);
    };
  }, []);
  const clear = (listed: readonly Hop[] | null): void => {
    const ids = listed === null ? null : new Set(listed.map(({ requestId }) => requestId));
    const { lastId } = latest.current;
    latest.current = ids === null ? { ...noRequests, lastId } : without(latest.current, ids);
    forget.current({ forget: ids === null ? null : [...ids] });
    setHops(latest.current.hops);
  };
  return { hops, clear };
}

interface Connection {
  readonly forget: (which: ForgetRequests) => void;
  readonly end: () => void;
}

/** Stays connected, also when the background ends and starts again. */
function connect(take: (event: NumberedEvent) => void): Connection {
  let isOver = false;
  let port = open();
  const pinging = setInterval(() => port.postMessage(null), REQUESTS_PING);
  function open(): browser.Runtime.Port {
    const opened = browser.runtime.connect({ name: REQUESTS_PORT });
    // Only the background can be at the other end.
    opened.onMessage.addListener((event) => take(event as NumberedEvent));
    opened.onDisconnect.addListener(() => {
      if (!isOver) setTimeout(() => (port = open()), RECONNECT);
    });
    return opened;
  }
  return {
    forget: (which) => port.postMessage(which),
    end: () => {
      isOver = true;
      clearInterval(pinging);
      port.disconnect();
    },
  };
}
