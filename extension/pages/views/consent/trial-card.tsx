import type { JSX } from 'preact';
import type { Trial } from '../../../../formats/settings/trial';
import { forReader, t } from '../../../i18n';
import { bare, showTime } from '../../words/words';
import { Definitions } from '../../ui/basics';
import { Foreign } from '../../ui/foreign';
import { Unmasked } from '../../ui/unmasked';

/** Who runs the trial and who signed it, what they say about it, and when it starts and ends. */
export function TrialCard({
  trial: { title, researcher, information, settings, start, end },
  signer,
  isManaged,
}: {
  readonly trial: Trial;
  /** The fingerprint of the key that signed it; null: not signed. */
  readonly signer: string | null;
  readonly isManaged: boolean;
}): JSX.Element {
  return (
    <section class="card trial" id="trial" aria-label={t('trial_about')}>
      <h2>
        <Foreign {...forReader(title)} />
      </h2>
      {signer === null && (
        <p class="banner error" id="not-signed">
          <strong>{t('trial_not_signed')}</strong>{' '}
          {t(isManaged ? 'trial_not_signed_policy' : 'trial_not_signed_file')}
        </p>
      )}
      <p class="information">
        <Foreign {...forReader(information)} />
      </p>
      <Definitions
        of={[
          [t('trial_run_by'), <Unmasked key="name" text={researcher.name} />],
          [t('trial_contact'), <Contact key="contact" of={researcher.contact} />],
          [t('trial_from'), start === null ? t('trial_from_consent') : showTime(start)],
          [t('trial_until'), showTime(end)],
          [t('trial_collector'), settings.collector === null ? null : bare(settings.collector)],
          [t('trial_signed_by'), signer === null ? null : <code key="signer">{signer}</code>],
        ]}
      />
      {isManaged && <p class="soft small">{t('trial_by_policy')}</p>}
    </section>
  );
}

/** Links email and web addresses; shows anything else as text. */
export function Contact({ of }: { readonly of: string }): JSX.Element {
  const text = <Unmasked text={of} />;
  if (/^[^\s@:/?&]+@[^\s@:/?&]+$/.test(of)) return <a href={`mailto:${of}`}>{text}</a>;
  if (!/^https:\/\/\S+$/.test(of)) return text;
  return (
    <a href={of} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
