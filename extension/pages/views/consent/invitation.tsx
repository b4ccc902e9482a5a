import type { JSX } from 'preact';
import { t } from '../../../i18n';
import { lookAtTrial } from '../../state/ask';
import type { Act } from '../../state/use-act';
import { Origin } from '../../ui/basics';
import { DecidingButton } from '../../ui/deciding-button';

/** A trial that a page asks the person to look at. It is fetched only when they agree to. */
export function Invitation({
  link,
  isBusy,
  act,
  onEnd,
}: {
  readonly link: string;
  readonly isBusy: boolean;
  readonly act: Act;
  /** Called when the trial was shown, or the person does not want to see it. */
  readonly onEnd: () => void;
}): JSX.Element {
  return (
    <section class="card trial" id="from-page">
      <h2>{t('asked_invitation_card')}</h2>
      <p>{t('asked_invitation_meaning')}</p>
      <p class="break">
        <strong>
          <Origin of={link} />
        </strong>
      </p>
      <div class="row answers">
        <DecidingButton
          class="primary"
          id="look"
          disabled={isBusy}
          onPress={() =>
            act(async () => {
              await lookAtTrial(link);
              onEnd();
            })
          }
        >
          {t('popup_look')}
        </DecidingButton>
        <DecidingButton id="dismiss" onPress={onEnd}>
          {t('asked_invitation_dismiss')}
        </DecidingButton>
      </div>
    </section>
  );
}
