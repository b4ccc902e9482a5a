import { english } from '../words/english';
import * as englishChecks from '../words/english/checks';
import { german } from '../words/german';
import * as germanChecks from '../words/german/checks';
import type { Words } from '../words/words';
import { language } from './i18n';

const languages: Readonly<Record<string, Words>> = { de: german };
const checkLanguages: Readonly<Record<string, Pick<typeof englishChecks, 'questions' | 'failures'>>> = {
  de: germanChecks,
};

/** The tables that put facts into the reader's language. */
export const words = languages[language] ?? english;

/** What checks ask, and what it means that they failed. */
export const checkTexts = checkLanguages[language] ?? englishChecks;
