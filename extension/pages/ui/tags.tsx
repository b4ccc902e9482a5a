import type { Draw } from '../../../ui/messages';

/** How the tags of messages are rendered: `<strong>…</strong>`, `<link>…</link>`. */
export const strong: Draw = (parts) => <strong>{parts}</strong>;

/** For screen readers only. */
export const visuallyHidden: Draw = (parts) => <span class="visually-hidden">{parts}</span>;

export const linkTo =
  (address: string): Draw =>
  (parts) => <a href={address}>{parts}</a>;
