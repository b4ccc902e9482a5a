import type { JSX } from 'preact';
import type { Overview } from '../../messages';

/** A third party's text, whose language may differ from the page's. */
export const Foreign = ({
  text,
  language,
}: {
  readonly text: string;
  readonly language: string | null;
}): JSX.Element => <span lang={language ?? undefined}>{text}</span>;

export const TrialTitle = ({ of }: { readonly of: Overview['trial'] }): JSX.Element => (
  <Foreign text={of?.title ?? ''} language={of?.titleLanguage ?? null} />
);
