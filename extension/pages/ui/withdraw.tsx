import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { askParticipation } from '../lib/ask';
import { t } from '../../i18n';
import type { Act } from '../lib/use-act';
import { showExactTime } from '../lib/words';

/** Always the same function, as one of each drawing would take the focus again with each. */
const takeFocus = (element: HTMLElement | null): void => element?.focus();

/** Stops recording and erases everything, once the person has said that they mean it. */
export function Withdraw({
  pendingReports,
  act,
  onWithdrawn,
}: {
  readonly pendingReports: number;
  readonly act: Act;
  readonly onWithdrawn: () => void;
}): JSX.Element {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <div class="row">
        <button type="button" class="danger" id="withdraw" onClick={() => setIsAsking(true)}>
          {t('consent_withdraw')}
        </button>
      </div>
    );
  const withdraw = async (): Promise<void> => {
    await askParticipation({ kind: 'withdraw' });
    setIsAsking(false);
    onWithdrawn();
  };
  return (
    <div class="banner error stack" role="alertdialog" aria-labelledby="withdraw-question">
      <p id="withdraw-question">{t('consent_withdraw_sure', { count: pendingReports })}</p>
      <div class="row">
        <button type="button" class="danger" id="withdraw-yes" onClick={() => act(withdraw)}>
          {t('consent_withdraw_yes')}
        </button>
        <button
          type="button"
          id="withdraw-no"
          // The way back has the focus, so that no key pressed twice erases anything.
          ref={takeFocus}
          onClick={() => setIsAsking(false)}
        >
          {t('consent_withdraw_no')}
        </button>
      </div>
    </div>
  );
}

/** That it was done, for as long as the page stays open: nothing else on it tells this from never having agreed. */
export const Withdrawn = ({ at }: { readonly at: number }): JSX.Element => (
  <p class="banner done" role="status" id="withdrawn" tabIndex={-1} ref={takeFocus}>
    {t('asked_withdrawn', { time: showExactTime(at) })}
  </p>
);
