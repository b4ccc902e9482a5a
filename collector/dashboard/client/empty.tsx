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

/** Explains how to get reports into an empty collector. */
export const NothingYet = (): JSX.Element => (
  <section class="card nothing" id="nothing">
    <h2>No reports yet</h2>
    <p>
      In the extension's settings, set the collector to <code>{location.origin}</code>. Reports then arrive
      automatically when a report window ends. They are noisy by design: some report a conversion that never
      happened, and some conversions make no report.
    </p>
    <p>
      Estimates need to know how many sources there were. Log each source when it is registered, one per line:
    </p>
    <Command
      label="Log sources"
      text={`curl ${location.origin}/sources -H 'Content-Type: application/x-ndjson' -d '${JSON.stringify(example)}'`}
    />
    <p>To see the dashboard with a made-up month instead:</p>
    <Command label="See a demo" text="npx cointoss collect --demo" />
  </section>
);

const Command = ({ label, text }: { readonly label: string; readonly text: string }): JSX.Element => (
  <pre class="json" tabIndex={0} role="region" aria-label={label}>
    {text}
  </pre>
);
