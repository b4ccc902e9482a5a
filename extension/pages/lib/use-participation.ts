import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Trial } from '../../../formats/settings/trial';
import { parseTrial } from '../../../formats/settings/parse-trial';
import type { Overview, ParticipationView } from '../../messages';
import { ask, askOverview } from './ask';
import { repeatedly } from './repeatedly';
import { useAct, type Act } from './use-act';

const REFRESH = 2000;

export interface Participation {
  readonly view: ParticipationView;
  readonly trial: Trial | null;
  readonly overview: Overview;
}

/** The person's participation, kept up to date; null until it is known. */
export function useParticipation(): {
  readonly shown: Participation | null;
  readonly problem: string;
  readonly isBusy: boolean;
  readonly act: Act;
} {
  const [shown, setShown] = useState<Participation | null>(null);
  const refresh = useCallback(async () => {
    const [view, overview] = await Promise.all([ask({ kind: 'get-participation' }), askOverview()]);
    const trial = view.trial === null ? null : parseTrial(view.trial).value;
    setShown({ view, trial, overview });
  }, []);
  const { act, problem, isBusy } = useAct(refresh);
  useEffect(() => {
    act(() => Promise.resolve());
    // The person must answer what the page shows, even when policy changes the question.
    return repeatedly(() => refresh().catch(() => undefined), REFRESH);
  }, [act, refresh]);
  return { shown, problem, isBusy, act };
}
