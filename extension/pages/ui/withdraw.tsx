import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../state/ask';
import { t } from '../../i18n';
import type { Act } from '../state/use-act';
import { showExactTime } from '../words/words';
import { DecidingButton } from './deciding-button';

/** Defined once: a new function on each render would take the focus each time. */
const takeFocus = (element: HTMLElement | null): void => element?.focus();

/** Stops recording and erases everything, after the person has confirmed. */
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
    await ask({ kind: 'withdraw' });
    setIsAsking(false);
    onWithdrawn();
  };
  return (
    <div class="banner error stack" role="alertdialog" aria-labelledby="withdraw-question">
      <p id="withdraw-question">{t('consent_withdraw_sure', { count: pendingReports })}</p>
      <div class="row">
        <DecidingButton class="danger" id="withdraw-yes" onPress={() => act(withdraw)}>
          {t('consent_withdraw_yes')}
        </DecidingButton>
        <button
          type="button"
          id="withdraw-no"
          // Cancel has the focus, so that pressing a key twice erases nothing.
          ref={takeFocus}
          onClick={() => setIsAsking(false)}
        >
          {t('rules_cancel')}
        </button>
      </div>
    </div>
  );
}

/** Confirms the withdrawal while the page stays open. Otherwise the page would look as if the person had never agreed. */
export const Withdrawn = ({ at }: { readonly at: number }): JSX.Element => (
  <p class="banner done" role="status" id="withdrawn" tabIndex={-1} ref={takeFocus}>
    {t('asked_withdrawn', { time: showExactTime(at) })}
  </p>
);
