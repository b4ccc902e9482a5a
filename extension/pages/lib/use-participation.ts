import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Trial } from '../../../src/model/trial';
import { parseTrial } from '../../../src/settings/parse-trial';
import type { Overview, ParticipationView } from '../../messages';
import { askOverview, askParticipation } from './ask';
import type { Act } from './use-act';
import { messageOf } from './words';

const REFRESH = 2000;

export interface Participation {
  readonly view: ParticipationView;
  readonly trial: Trial | null;
  readonly overview: Overview;
}

/** How the person stands to what they are asked, kept up to date; null until it is known. */
export function useParticipation(): {
  readonly shown: Participation | null;
  readonly problem: string;
  /** Whether an answer is under way, which a second click must not follow. */
  readonly isBusy: boolean;
  readonly act: Act;
} {
  const [shown, setShown] = useState<Participation | null>(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const refresh = useCallback(async () => {
    const [view, overview] = await Promise.all([
      askParticipation({ kind: 'get-participation' }),
      askOverview(),
    ]);
    const trial = view.trial === null ? null : parseTrial(view.trial).value;
    setShown({ view, trial, overview });
  }, []);
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
  useEffect(() => {
    act(() => Promise.resolve());
    // What is shown must be what is answered to, also when policy changes it.
    const timer = setInterval(() => void refresh().catch(() => undefined), REFRESH);
    return () => clearInterval(timer);
  }, [act, refresh]);
  return { shown, problem, isBusy, act };
}
