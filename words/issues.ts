import type { Expectation, ExpectationCode, Issue, Mistake, MistakeCode } from '../formats/codec/mistakes';
import { sayer, type Values } from './say';

/** The messages of all mistakes in one language, and of all expectations as parts of them. In ICU's message syntax. */
export type IssueMessages = Readonly<Record<MistakeCode | ExpectationCode, string>>;

/** Mistakes in the words of one language. */
export interface IssueWords {
  /** A mistake, without its place. */
  readonly mistakeText: (mistake: Mistake) => string;
  /** The message that follows the place and a colon. */
  readonly issueText: (issue: Issue) => string;
  /** The same as one sentence. */
  readonly issueSentence: (issue: Issue) => string;
  /** Several in one line. */
  readonly issuesText: (issues: readonly Issue[]) => string;
  /** In the form in which commands and the collector answer. */
  readonly worded: (issue: Issue) => { readonly path: string; readonly message: string };
}

export function issueWords(language: string, messages: IssueMessages): IssueWords {
  const say = sayer(language, messages);

  const factText = ({ code, values }: Mistake | Expectation): string =>
    // A snapshot may come from a later version, which knows more mistakes.
    Object.hasOwn(messages, code) ? say(code, inWords(values)) : code;

  /** A fact within a fact is put into words first. */
  const inWords = (values: (Mistake | Expectation)['values']): Values =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]: [string, FactValue]) => [name, valueInWords(value)]),
    );

  const valueInWords = (value: FactValue): string | number => {
    if (typeof value !== 'object') return value;
    if ('code' in value) return 'path' in value ? issueSentence(value) : factText(value);
    return value.map(issueSentence).join(', ');
  };

  const issueText = (issue: Issue): string =>
    issue.path === '' ? factText(issue) : `${issue.path}: ${factText(issue)}`;
  const issueSentence = (issue: Issue): string => `${issue.path} ${factText(issue)}`.trim();

  return {
    mistakeText: factText,
    issueText,
    issueSentence,
    issuesText: (issues) => issues.map(issueText).join('; '),
    worded: (issue) => ({ path: issue.path, message: factText(issue) }),
  };
}

type FactValue = string | number | Mistake | Expectation | Issue | readonly Issue[];
