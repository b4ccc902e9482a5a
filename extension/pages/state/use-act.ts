import { useCallback, useState } from 'preact/hooks';
import { messageOf } from '../words/words';

/** Runs an action, then refreshes the view. Shows an error if it fails. */
export type Act = (action: () => Promise<unknown>) => void;

/** @param refresh must stay the same function between renders, so that `act` does */
export function useAct(refresh: () => Promise<void>): {
  readonly act: Act;
  readonly problem: string;
  readonly setProblem: (problem: string) => void;
  /** Whether an action is running, so that a second click must wait. */
  readonly isBusy: boolean;
} {
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const act = useCallback<Act>(
    (action) => {
      setIsBusy(true);
      action()
        .then(refresh)
        .then(() => setProblem(''))
        .catch((error: unknown) => setProblem(messageOf(error)))
        .finally(() => setIsBusy(false));
    },
    [refresh],
  );
  return { act, problem, setProblem, isBusy };
}
