import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { searchOf, viewFrom, type View } from './address';
import type { CountsAnswer } from '../../http/answers';
import { askAll, askCounts, Failed, NotLoggedIn, type Answers } from './answers';

/** The view in the address, and a function to go to another. */
export function useView(): readonly [View, (view: View) => void] {
  const [view, setView] = useState(() => viewFrom(location.search));
  useEffect(() => {
    const read = (): void => setView(viewFrom(location.search));
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, []);
  const goTo = useCallback((next: View): void => {
    const search = searchOf(next);
    if (search !== location.search) history.pushState(null, '', search === '' ? location.pathname : search);
    setView(next);
  }, []);
  return [view, goTo];
}

export type Connection = 'live' | 'paused' | 'lost' | 'failed' | 'logged-out';

export interface Live {
  readonly answers: Answers | null;
  readonly connection: Connection;
  /** Why the collector answered with an error; null if it did not. */
  readonly failure: string | null;
  /** Whether the shown data belongs to an earlier view. */
  readonly loading: boolean;
  readonly pause: (paused: boolean) => void;
}

const POLL_MILLISECONDS = 2000;
/**
 * Requests over a large store take long. The page waits this many times as long as the last request took, so that it uses only a small
 * part of the time of the collector.
 */
const REST = 10;

/** The collector's answers for a view, requested again when there is new data. */
export function useAnswers(view: View, knowsTruth: boolean): Live {
  const [answers, setAnswers] = useState<{ readonly search: string; readonly of: Answers } | null>(null);
  const [connection, setConnection] = useState<Connection>('live');
  const [failure, setFailure] = useState<string | null>(null);
  const [paused, setPaused] = useState(false);
  const seen = useRef<string | null>(null);
  const search = searchOf(view);

  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer = 0;
    const update = async (): Promise<void> => {
      const isShown = seen.current?.startsWith(`${search} `) === true;
      if (isShown && seen.current === keyOf(search, await askCounts(signal))) return;
      const of = await askAll(viewFrom(search), knowsTruth, signal);
      seen.current = keyOf(search, of.dimensions.counts);
      setAnswers({ search, of });
    };
    const poll = async (): Promise<void> => {
      const start = performance.now();
      let state: Connection = 'live';
      let reason: string | null = null;
      try {
        if (!document.hidden || seen.current === null) await update();
      } catch (error) {
        state = stateAfter(error);
        if (error instanceof Failed) reason = error.message;
      }
      if (signal.aborted) return;
      setConnection(state);
      setFailure(reason);
      const rest = Math.max(POLL_MILLISECONDS, REST * (performance.now() - start));
      timer = window.setTimeout(() => void poll(), rest);
    };
    if (!paused || seen.current?.startsWith(`${search} `) !== true) void poll();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [search, paused, knowsTruth]);

  return {
    answers: answers?.of ?? null,
    connection: paused && connection === 'live' ? 'paused' : connection,
    failure,
    loading: answers?.search !== search,
    pause: setPaused,
  };
}

const keyOf = (search: string, counts: CountsAnswer): string => `${search} ${JSON.stringify(counts)}`;

function stateAfter(error: unknown): Connection {
  if (error instanceof NotLoggedIn) return 'logged-out';
  return error instanceof Failed ? 'failed' : 'lost';
}
