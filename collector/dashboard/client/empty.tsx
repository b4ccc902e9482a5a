import type { JSX } from 'preact';

const example = {
  source_event_id: '1',
  reporting_origin: 'https://ads.example',
  destination: 'https://shop.example',
  source_type: 'navigation',
  time: '2026-02-03T04:05:06Z',
  registration: {},
  campaign: 'Spring sale',
};

/** What to do while there is nothing. */
export const NothingYet = (): JSX.Element => (
  <section class="card nothing" id="nothing">
    <h2>Nothing has come yet</h2>
    <p>
      Reports arrive on their own once a report window has ended, when the extension's settings name{' '}
      <code>{location.origin}</code> as the collector. They are noisy by design: now and then one tells of a
      conversion that never was, or none comes for one that was.
    </p>
    <p>Estimates need to know how many sources there were. Log them as they are registered, one a line:</p>
    <Command
      label="Log sources"
      text={`curl ${location.origin}/sources -H 'Content-Type: application/x-ndjson' -d '${JSON.stringify(example)}'`}
    />
    <p>To see the dashboard with a made-up month first:</p>
    <Command label="See a demo" text="npx cointoss collect --demo" />
  </section>
);

const Command = ({ label, text }: { readonly label: string; readonly text: string }): JSX.Element => (
  <pre class="json" tabIndex={0} role="region" aria-label={label}>
    {text}
  </pre>
);
