import { sayers } from '../../../ui/messages';
import type { DashboardMessage } from '../../../words/dashboard';
import { messagesIn } from '../languages';

/** The collector chooses it when it sends the page. */
const language = document.documentElement.lang;

/** For numbers and dates: the browser's variant of the language, such as `en-GB` for `en`. */
export const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;

const messages = messagesIn(language);

export const { t, rich } = sayers<DashboardMessage>((id) => messages[id], locale);
