/** The site's languages, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

const KEY = 'language';

const languageOf = (tag: string): Language | null => {
  const [language = ''] = tag.split('-');
  return Object.hasOwn(languages, language) ? (language as Language) : null;
};

/** What the person chose here before, else the first of the browser's languages that there is a translation for. */
export function wantedLanguage(): { readonly language: Language; readonly locale: string } {
  for (const tag of [localStorage.getItem(KEY) ?? '', ...navigator.languages]) {
    const language = languageOf(tag);
    if (language !== null) return { language, locale: tag };
  }
  return { language: 'en', locale: 'en' };
}

/** Remembers the language, and loads the page again in it. */
export function choose(language: Language): void {
  localStorage.setItem(KEY, language);
  location.reload();
}
