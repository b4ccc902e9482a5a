import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { askParticipation } from '../lib/ask';
import { t } from '../../i18n';

/** Stops recording and erases everything, once the person has said that they mean it. */
export function Withdraw({
  pendingReports,
  act,
}: {
  readonly pendingReports: number;
  readonly act: (action: () => Promise<unknown>) => void;
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
          ref={(button) => button?.focus()}
          onClick={() => setIsAsking(false)}
        >
          {t('consent_withdraw_no')}
        </button>
      </div>
    </div>
  );
}
