import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Json } from '../../../src/model/json';
import type { Trial } from '../../../formats/settings/trial';
import { parseTrial } from '../../../formats/settings/parse-trial';
import type { Overview, ParticipationView } from '../../messages';
import { ask, askOverview } from './ask';
import { repeatedly } from './repeatedly';
import { useAct, type Act } from './use-act';

const REFRESH = 2000;

export interface Participation {
  readonly view: ParticipationView;
  /** What the person takes part in, or else is asked about. */
  readonly trial: Trial | null;
  /** What the next answer is to: the offered trial if there is one, else `trial`. */
  readonly asked: {
    readonly trial: Trial | null;
    readonly document: Json | null;
    readonly signer: string | null;
  };
  /** The trial that the asked one is compared with; null if there is nothing to compare. */
  readonly agreed: { readonly trial: Trial; readonly signer: string | null } | null;
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
    setShown({ ...readOf(view), view, overview });
  }, []);
  const { act, problem, isBusy } = useAct(refresh);
  useEffect(() => {
    act(() => Promise.resolve());
    // The person must answer what the page shows, even when policy changes the question.
    return repeatedly(() => refresh().catch(() => undefined), REFRESH);
  }, [act, refresh]);
  return { shown, problem, isBusy, act };
}

function readOf(view: ParticipationView): Pick<Participation, 'trial' | 'asked' | 'agreed'> {
  const { offer, agreed, signer } = view;
  const trial = parsed(view.trial);
  const asked =
    offer === null
      ? { trial, document: view.trial, signer }
      : { trial: parsed(offer.trial), document: offer.trial, signer: offer.signer };
  const before = offer === null ? parsed(agreed?.trial ?? null) : trial;
  return {
    trial,
    asked,
    agreed:
      before === null ? null : { trial: before, signer: offer === null ? (agreed?.signer ?? null) : signer },
  };
}

/** The background has checked the signature. */
const parsed = (document: Json | null): Trial | null =>
  document === null ? null : parseTrial(document).value;
