import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../../../src/model/json';
import { offerTrial } from '../lib/ask';
import { t } from '../../i18n';
import { textOfFile } from '../lib/file-text';
import { fetchTrial, LARGEST_TRIAL, parseTrialText } from '../lib/trial-link';
import type { Act } from '../lib/use-act';
import { Card } from '../ui/basics';

/** Offers a trial from an address or a file. Neither accepts it. */
export function TrialChooser({
  isInTrial,
  act,
  onOffered,
}: {
  /** During a trial, only a newer version of it can be chosen. */
  readonly isInTrial: boolean;
  readonly act: Act;
  readonly onOffered: () => void;
}): JSX.Element {
  const [address, setAddress] = useState('');
  const offer = (read: () => Promise<Json>): void =>
    act(async () => {
      await offerTrial(await read());
      setAddress('');
      onOffered();
    });
  const readFile = (file: File | undefined): void => {
    if (file !== undefined) offer(async () => parseTrialText(await textOfFile(file, LARGEST_TRIAL)));
  };
  return (
    <Card title={t(isInTrial ? 'trial_newer' : 'trial_choose')}>
      <p class="soft">{t(isInTrial ? 'trial_newer_meaning' : 'trial_choose_meaning')}</p>
      <form
        class="row link"
        onSubmit={(event) => {
          event.preventDefault();
          offer(() => fetchTrial(address.trim()));
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
        <button type="submit" id="look" disabled={address.trim() === ''}>
          {t('trial_link_look')}
        </button>
      </form>
      <div class="row">
        <label for="trial-file">{t('trial_file')}</label>
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
