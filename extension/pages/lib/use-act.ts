import { useCallback, useState } from 'preact/hooks';
import { messageOf } from './words';

/** Does something and then refreshes what is shown, or says what went wrong. */
export type Act = (action: () => Promise<unknown>) => void;

/** @param refresh must stay the same function between drawings, or `act` does not either */
export function useAct(refresh: () => Promise<void>): {
  readonly act: Act;
  readonly problem: string;
  readonly setProblem: (problem: string) => void;
  /** Whether something is being done, which a second click must not follow. */
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
