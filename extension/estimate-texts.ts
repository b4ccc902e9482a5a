import { sayers } from '../ui/messages';
import { estimates as english } from '../words/english/estimates';
import { estimates as german } from '../words/german/estimates';
import { language, locale } from './i18n';

const languages: Readonly<Record<string, Readonly<Record<keyof typeof english, string>>>> = { de: german };
const texts = languages[language] ?? english;

/** Warnings about estimates, in the words of commands and the dashboard. */
export const { t: warning } = sayers<keyof typeof english>((id) => texts[id], locale);
