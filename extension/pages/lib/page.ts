import { language, t, type MessageName } from '../../i18n';

/** What a page says of itself to the browser: its language, and its name in tabs and histories. */
export function namePage(title: MessageName): void {
  document.documentElement.lang = language;
  document.title = t(title);
}
