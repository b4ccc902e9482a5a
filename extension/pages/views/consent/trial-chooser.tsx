import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { lookAtTrial, offerTrial } from '../../state/ask';
import { t } from '../../../i18n';
import { textOfFile } from '../../data/file-text';
import { LARGEST_TRIAL, parseTrialText } from '../../../trial-text';
import type { Act } from '../../state/use-act';
import { Card } from '../../ui/basics';
import { DecidingButton } from '../../ui/deciding-button';

/** Offers a trial from an address or a file. Neither accepts it. */
export function TrialChooser({
  isInTrial,
  act,
  onOffered,
}: {
  /** Whether the person takes part in one. */
  readonly isInTrial: boolean;
  readonly act: Act;
  /** @param link the trial's address; empty for a file */
  readonly onOffered: (link: string) => void;
}): JSX.Element {
  const [address, setAddress] = useState('');
  const show = (offer: () => Promise<unknown>, link = ''): void =>
    act(async () => {
      await offer();
      setAddress('');
      onOffered(link);
    });
  const readFile = (file: File | undefined): void => {
    if (file !== undefined)
      show(async () => offerTrial(parseTrialText(await textOfFile(file, LARGEST_TRIAL))));
  };
  return (
    <Card title={t(isInTrial ? 'trial_newer' : 'trial_choose')}>
      <p class="soft">{t(isInTrial ? 'trial_newer_meaning' : 'trial_choose_meaning')}</p>
      <form
        class="row link"
        onSubmit={(event) => {
          event.preventDefault();
          show(() => lookAtTrial(address.trim()), address);
        }}
      >
        <label for="trial-link">{t('trial_link')}</label>
        <input
          id="trial-link"
          inputMode="url"
          autoComplete="off"
          spellcheck={false}
          value={address}
          onInput={({ currentTarget }) => setAddress(currentTarget.value)}
        />
        <DecidingButton type="submit" id="look" disabled={address.trim() === ''}>
          {t('popup_look')}
        </DecidingButton>
      </form>
      <div class="row">
        <label for="trial-file">{t('data_file')}</label>
        <input
          type="file"
          id="trial-file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => readFile(currentTarget.files?.[0])}
        />
      </div>
    </Card>
  );
}
