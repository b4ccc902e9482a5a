import { issueText as englishText, type Issue } from '../src/parsing/issues';
import german from './_locales/de/mistakes.json';
import english from './_locales/en/mistakes.json';
import { readersTranslator } from './translator';

/** What `src/` says is wrong: the English sentences are what it says, those of a language what stands for them there. */
export type Mistakes = Readonly<Record<keyof typeof english, string>>;

/** What is wrong, in the reader's language. */
export const mistakeText = readersTranslator<keyof Mistakes>(english, { de: german });

/** As `issueText` of `src/`, in the reader's language. */
export const issueText = ({ path, message }: Issue): string =>
  englishText({ path, message: mistakeText(message) });

/** Several in one line. */
export const issuesText = (issues: readonly Issue[]): string => issues.map(issueText).join('; ');

/** Paths with more spaces than that are not looked for a mistake behind them. */
const MAX_SPACES = 4;

/** As `mistakeText`, where the path comes before the mistake with no more than a space between. */
export function textWithPath(text: string): string {
  let start = 0;
  for (let spaces = 0; spaces <= MAX_SPACES; spaces++) {
    const mistake = text.slice(start);
    const said = mistakeText(mistake);
    if (said !== mistake) return text.slice(0, start) + said;
    start = text.indexOf(' ', start) + 1;
    if (start === 0) break;
  }
  return text;
}
