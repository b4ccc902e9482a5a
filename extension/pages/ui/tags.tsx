import type { Draw } from '../../i18n';

/** How the tags of messages are drawn: `<strong>…</strong>`, `<link>…</link>`. */
export const strong: Draw = (parts) => <strong>{parts}</strong>;

/** Only for those who hear the page. */
export const heard: Draw = (parts) => <span class="visually-hidden">{parts}</span>;

export const linkTo =
  (address: string): Draw =>
  (parts) => <a href={address}>{parts}</a>;
