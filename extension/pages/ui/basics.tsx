import type { ComponentChildren, JSX } from 'preact';
import type { Tone } from '../words/tone';
import { rich } from '../../i18n';
import { bare, showDistance, showExactTime } from '../words/words';
import { linkTo } from './tags';

interface WithChildren {
  readonly children: ComponentChildren;
}

export const Chip = ({
  tone,
  children,
}: WithChildren & { readonly tone?: Tone | undefined }): JSX.Element => (
  <span class={`chip ${tone ?? 'soft'}`}>{children}</span>
);

export const Card = ({
  title,
  label = false,
  children,
}: WithChildren & { readonly title?: string; readonly label?: boolean }): JSX.Element => (
  <section class="card">
    {title !== undefined && <h2 class={label ? 'label' : undefined}>{title}</h2>}
    {children}
  </section>
);

/** Pairs of a term and its value; pairs without a value are left out. */
export function Definitions({
  of,
}: {
  readonly of: readonly (readonly [term: string, value: ComponentChildren | null | undefined])[];
}): JSX.Element {
  return (
    <dl class="definitions">
      {of.map(([term, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </>
        ),
      )}
    </dl>
  );
}

/** A time, and its distance from now. */
export const Moment = ({ time, now }: { readonly time: number; readonly now?: number }): JSX.Element => (
  <time dateTime={new Date(time).toISOString()}>
    {showExactTime(time)}
    {now !== undefined && <span class="soft"> ({showDistance(now, time)})</span>}
  </time>
);

/** Broken after whole words, where it has to be. */
export const Origin = ({ of }: { readonly of: string }): JSX.Element => (
  <span title={of}>
    {bare(of)
      .split(/(?<=[.:])/)
      .flatMap((label, index) => [label, <wbr key={index} />])}
  </span>
);

/** JSON to read or copy. Its focus lets the keyboard scroll it. */
export const Json = ({ value, label }: { readonly value: unknown; readonly label: string }): JSX.Element => (
  <pre class="json" tabIndex={0} role="region" aria-label={label}>
    {typeof value === 'string' ? pretty(value) : JSON.stringify(value, null, 2)}
  </pre>
);

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const Empty = ({ children }: WithChildren): JSX.Element => <p class="empty">{children}</p>;

/** Says that something shows in debug mode only, and links to where to switch that on. */
export const NeedsDebugMode = ({ what }: { readonly what: string }): JSX.Element => (
  <p class="banner info">{rich('ui_needs_debug_mode', { what, link: linkTo('#/debug') })}</p>
);
