import * as english from '../words/english/checks';
import * as german from '../words/german/checks';
import { language } from './i18n';

const languages: Readonly<Record<string, Pick<typeof english, 'questions' | 'failures'>>> = { de: german };

/** What checks ask, and what it means that they failed. The background has no use for it. */
export const checkTexts = languages[language] ?? english;
