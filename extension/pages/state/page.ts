import { language, t, type MessageName } from '../../i18n';

/** Sets the page's language, and its title for tabs and histories. */
export function namePage(title: MessageName): void {
  document.documentElement.lang = language;
  document.title = t(title);
}
