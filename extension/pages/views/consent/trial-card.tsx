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
  acceptedAt,
  isManaged,
}: {
  readonly trial: Trial;
  /** The fingerprint of the key that signed it; null: not signed. */
  readonly signer: string | null;
  /** In ms since 1970; null while the person is asked. */
  readonly acceptedAt: number | null;
  readonly isManaged: boolean;
}): JSX.Element {
  const from = start ?? acceptedAt;
  return (
    <section class="card trial" id="trial" aria-label={t('trial_about')}>
      <h2>
        <Title of={title} />
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
          [t('data_from'), from === null ? t('trial_from_consent') : showTime(from)],
          [t('trial_until'), showTime(end)],
          [t('overview_collector'), settings.collector === null ? null : bare(settings.collector)],
          [t('trial_signed_by'), signer === null ? null : <code key="signer">{signer}</code>],
        ]}
      />
      {isManaged && <p class="soft small">{t('trial_by_policy')}</p>}
    </section>
  );
}

/** Of a trial. Its letters may look like those of another one's. */
export function Title({ of }: { readonly of: Trial['title'] }): JSX.Element {
  const { text, language } = forReader(of);
  return (
    <span lang={language ?? undefined}>
      <Unmasked text={text} />
    </span>
  );
}

/** Links email and web addresses; shows anything else as text. */
export const Contact = ({ of }: { readonly of: string }): JSX.Element => (
  <Unmasked text={of} href={hrefOf(of)} />
);

function hrefOf(contact: string): string | undefined {
  if (/^[^\s@:/?&]+@[^\s@:/?&]+$/.test(contact)) return `mailto:${contact}`;
  return /^https:\/\/\S+$/.test(contact) ? contact : undefined;
}
