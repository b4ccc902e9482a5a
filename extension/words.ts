import { english } from '../words/english';
import { german } from '../words/german';
import type { Words } from '../words/words';
import { language } from './i18n';

const languages: Readonly<Record<string, Words>> = { de: german };

/** The tables that put facts into the reader's language. */
export const words = languages[language] ?? english;
