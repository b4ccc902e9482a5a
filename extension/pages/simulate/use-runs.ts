import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../state/session';
import { RUNS, type Task, type RunMessage } from './task';

/** Whether the person wants nothing to move. */
export const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

export interface Runs {
  readonly values: readonly number[];
  readonly truth: number;
  readonly own: number | null;
}

/** Runs tasks in a worker, one at a time. Nothing runs on after the view is left. */
export function useRuns(): {
  /** Null before the first runs. */
  readonly runs: Runs | null;
  readonly isRunning: boolean;
  /** Forgets the last task. */
  readonly start: (task: Task) => void;
  /** Keeps what has been run. */
  readonly stop: () => void;
} {
  const { act } = useSession();
  const [runs, setRuns] = useState<Runs | null>(null);
  const [isRunning, setIsRunning] = useState(false);
  const worker = useRef<Worker | null>(null);
  const stop = (): void => {
    worker.current?.terminate();
    worker.current = null;
    setIsRunning(false);
  };
  useEffect(() => () => worker.current?.terminate(), []);
  const start = (task: Task): void => {
    stop();
    setRuns(null);
    setIsRunning(true);
    const fail = (problem: string): void => {
      stop();
      act(() => Promise.reject(new Error(problem)));
    };
    const values: number[] = [];
    const started = new Worker('simulation.js');
    started.onerror = ({ message }) => fail(message);
    started.onmessage = ({ data }: MessageEvent<RunMessage>) => {
      // Of a stopped worker, messages may still be on their way.
      if (worker.current !== started) return;
      if (data.kind === 'problem') {
        fail(data.problem);
        return;
      }
      for (const value of data.values) values.push(value);
      setRuns({ values: [...values], truth: data.truth, own: data.own });
      if (values.length >= RUNS) stop();
    };
    started.postMessage(task);
    worker.current = started;
  };
  return { runs, isRunning, start, stop };
}
