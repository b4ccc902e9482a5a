import { dashboard as english } from '../../words/english/dashboard';
import { dashboard as german } from '../../words/german/dashboard';
import type { DashboardMessages } from '../../words/dashboard';

const ENGLISH = 'en';

/** The dashboard's texts, by language. */
const languages: Readonly<Record<string, DashboardMessages>> = { [ENGLISH]: english, de: german };

/** The messages of a language; an unknown one is English. */
export const messagesIn = (language: string): DashboardMessages => languages[language] ?? english;

/**
 * The available language that a browser prefers; otherwise English.
 * @param accepted the header `Accept-Language`
 */
export function wantedLanguage(accepted = ''): string {
  const wanted = accepted.split(',').map((entry) => {
    const [tag = '', weight] = entry.split(';');
    const [language = ''] = tag.trim().toLowerCase().split('-');
    return { language, weight: Number(/^\s*q=([\d.]+)\s*$/.exec(weight ?? 'q=1')?.[1] ?? 0) };
  });
  const known = wanted.filter(({ language, weight }) => Object.hasOwn(languages, language) && weight > 0);
  return known.sort((a, b) => b.weight - a.weight)[0]?.language ?? ENGLISH;
}
