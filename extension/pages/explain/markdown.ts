import { readJsonText } from '../../../formats/codec/json-text';

/** Of one thing, to be pasted into an issue or a message. */
interface MarkdownPage {
  readonly title: string;
  readonly facts: readonly (readonly [term: string, value: string])[];
  readonly steps?: readonly string[];
  readonly json: unknown;
}

/** The value of a JSON text; else the text, as where it is nested so deep that its indentation would be longer than all else. */
export function jsonOr(text: string): unknown {
  const { value, problem } = readJsonText(text);
  return problem === null ? value : text;
}

export function markdown({ title, facts, steps = [], json }: MarkdownPage): string {
  const code = typeof json === 'string' ? json : JSON.stringify(json, null, 2);
  return [
    `## ${plain(title)}`,
    facts.map(([term, value]) => `- **${plain(term)}:** ${plain(value)}`).join('\n'),
    ...(steps.length === 0 ? [] : [steps.map((step) => `1. ${plain(step)}`).join('\n')]),
    `${fenceFor(code)}json\n${code}\n${fenceFor(code)}\n`,
  ].join('\n\n');
}

/** A page may have written the text, so it must not be read as markup. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|#!~]/g, '\\$&');

/** Longer than any fence within. */
function fenceFor(code: string): string {
  let length = 3;
  for (const [ticks] of code.matchAll(/`+/g)) length = Math.max(length, ticks.length + 1);
  return '`'.repeat(length);
}
