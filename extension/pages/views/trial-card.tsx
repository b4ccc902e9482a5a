import type { JSX } from 'preact';
import type { Trial } from '../../../formats/settings/trial';
import { forReader, t } from '../../i18n';
import { bare, showTime } from '../lib/words';
import { Definitions } from '../ui/basics';
import { Foreign } from '../ui/foreign';

/** Who runs the trial, what they say about it, and when it starts and ends. */
export function TrialCard({
  trial: { title, researcher, information, settings, start, end },
  isManaged,
}: {
  readonly trial: Trial;
  readonly isManaged: boolean;
}): JSX.Element {
  return (
    <section class="card trial" id="trial" aria-label={t('trial_about')}>
      <h2>
        <Foreign {...forReader(title)} />
      </h2>
      <p class="information">
        <Foreign {...forReader(information)} />
      </p>
      <Definitions
        of={[
          [t('trial_run_by'), researcher.name],
          [t('trial_contact'), <Contact key="contact" of={researcher.contact} />],
          [t('trial_from'), start === null ? t('trial_from_consent') : showTime(start)],
          [t('trial_until'), showTime(end)],
          [t('trial_collector'), settings.collector === null ? null : bare(settings.collector)],
        ]}
      />
      {isManaged && <p class="soft small">{t('trial_by_policy')}</p>}
    </section>
  );
}

/** Links email and web addresses; shows anything else as text. */
function Contact({ of }: { readonly of: string }): JSX.Element {
  if (/^[^\s@:/?&]+@[^\s@:/?&]+$/.test(of)) return <a href={`mailto:${of}`}>{of}</a>;
  if (!/^https:\/\/\S+$/.test(of)) return <>{of}</>;
  return (
    <a href={of} target="_blank" rel="noreferrer">
      {of}
    </a>
  );
}
