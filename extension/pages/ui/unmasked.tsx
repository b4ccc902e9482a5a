import type { JSX } from 'preact';
import { t } from '../../i18n';
import { asciiHostIn, scriptsMixedIn } from '../lib/unmask';
import { allOf } from '../lib/words';
import { Chip } from './basics';

/** A line that somebody else wrote, with a note where its letters may look like others. */
export function Unmasked({ text }: { readonly text: string }): JSX.Element {
  const host = asciiHostIn(text);
  const mixed = scriptsMixedIn(text);
  return (
    <>
      <bdi class="break">{text}</bdi>
      {host !== null && (
        <>
          {' '}
          <Chip tone="warn">{host}</Chip>
        </>
      )}
      {mixed.length > 0 && (
        <>
          {' '}
          <Chip tone="warn">{t('trial_mixed_scripts', { scripts: allOf(mixed) })}</Chip>
        </>
      )}
    </>
  );
}
