import type { JSX } from 'preact';
import { language, t } from '../../i18n';
import { asciiHostIn, scriptsMixedIn } from '../state/unmask';
import { allOf } from '../words/words';

const scripts = new Intl.DisplayNames(language, { type: 'script' });

/** A line that somebody else wrote, with a note where its letters may look like others. */
export function Unmasked({
  text,
  href,
}: {
  readonly text: string;
  /** Where the line leads, if anywhere. */
  readonly href?: string | undefined;
}): JSX.Element {
  const host = asciiHostIn(text);
  const mixed = scriptsMixedIn(text);
  return (
    <>
      <bdi class="break">
        {href === undefined ? (
          text
        ) : (
          <a href={href} target={href.startsWith('mailto:') ? undefined : '_blank'} rel="noreferrer">
            {text}
          </a>
        )}
      </bdi>
      {host !== null && <span class="unmasked small">{host}</span>}
      {mixed.length > 0 && (
        <span class="unmasked small">
          {t('trial_mixed_scripts', { scripts: allOf(mixed.map((code) => scripts.of(code) ?? code)) })}
        </span>
      )}
    </>
  );
}
