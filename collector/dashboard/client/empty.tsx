import type { ComponentChildren, JSX } from 'preact';
import { rich, t } from './language';

const example = {
  source_event_id: '1',
  reporting_origin: 'https://ads.example',
  destination: 'https://shop.example',
  source_type: 'navigation',
  time: '2026-02-03T04:05:06Z',
  registration: {},
  campaign: 'Spring sale',
};

/** Explains how to get reports into an empty collector. */
export const NothingYet = (): JSX.Element => (
  <section class="card nothing" id="nothing">
    <h2>{t('nothing-title')}</h2>
    <p>
      {rich('nothing-settings', {
        origin: location.origin,
        code: (parts: ComponentChildren[]) => <code>{parts}</code>,
      })}
    </p>
    <p>{t('nothing-sources')}</p>
    <Command
      label={t('nothing-log-sources')}
      text={`curl ${location.origin}/sources -H 'Content-Type: application/x-ndjson' -d '${JSON.stringify(example)}'`}
    />
    <p>{t('nothing-demo')}</p>
    <Command label={t('nothing-see-demo')} text="npx cointoss collect --demo" />
  </section>
);

const Command = ({ label, text }: { readonly label: string; readonly text: string }): JSX.Element => (
  <pre class="json" tabIndex={0} role="region" aria-label={label}>
    {text}
  </pre>
);
