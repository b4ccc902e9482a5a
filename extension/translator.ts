import { language } from './i18n';

/** A sentence cut at its values: a literal comes before, between and after them. */
interface Pattern {
  readonly literals: readonly string[];
  readonly first: string;
  readonly last: string;
  readonly names: readonly string[];
}

interface Sentence {
  readonly heard: Pattern;
  readonly said: Pattern;
}

/** What a text was understood as, and how many of its characters were expected to the letter. */
interface Reading {
  readonly said: string;
  readonly literal: number;
}

/** Deeper than any mistake nests its parts, the longest of which are lists of choices. */
const MAX_DEPTH = 16;

/** Names of parameters hold neither the quotes nor the commas that values from outside come with. */
const PARAMETER = /^[\w [\]]+$/;

/**
 * Says sentences in another language, each known by an id: `heard` as they come, `said` as they are to be. A text is taken for the
 * sentence of which it holds most literally; what is none stays as it is. `{what}` is a part that is known, too, by an id with that prefix; `{mistake}` is a sentence, and `{problem}` may be one.
 */
export function translator<Id extends string>(
  heard: Readonly<Record<Id, string>>,
  said: Readonly<Record<Id, string>>,
): (text: string) => string {
  const ids = Object.keys(heard) as Id[];
  const sentences = (ofParts: boolean): readonly Sentence[] =>
    ids
      .filter((id) => id.startsWith('what_') === ofParts)
      .map((id) => ({ heard: patternOf(heard[id]), said: patternOf(said[id]) }));
  const parts = sentences(true);
  const wholes = sentences(false);

  const read = (text: string, candidates: readonly Sentence[], depth: number): Reading | null => {
    if (depth > MAX_DEPTH) return null;
    let best: Reading | null = null;
    for (const candidate of candidates) {
      const reading = readAs(text, candidate, depth);
      if (reading !== null && (best === null || reading.literal > best.literal)) best = reading;
    }
    return best;
  };

  const readAs = (
    text: string,
    { heard: hearing, said: saying }: Sentence,
    depth: number,
  ): Reading | null => {
    const values = valuesIn(text, hearing);
    if (values === null) return null;
    const readings = new Map<string, Reading>();
    for (const [index, name] of hearing.names.entries()) {
      const reading = readValue(name, values[index] ?? '', depth + 1);
      if (reading === null) return null;
      readings.set(name, reading);
    }
    const own = hearing.literals.reduce((sum, literal) => sum + literal.length, 0);
    return {
      said: filledIn(saying, (name) => readings.get(name)?.said ?? ''),
      literal: [...readings.values()].reduce((sum, { literal }) => sum + literal, own),
    };
  };

  const readValue = (name: string, value: string, depth: number): Reading | null => {
    const verbatim: Reading = { said: value, literal: 0 };
    switch (name) {
      case 'what':
        return read(value, parts, depth);
      case 'mistake':
        return read(value, wholes, depth);
      case 'problem':
        return read(value, wholes, depth) ?? verbatim;
      case 'parameter':
        return PARAMETER.test(value) ? verbatim : null;
      default:
        return verbatim;
    }
  };

  return (text) => read(text, wholes, 0)?.said ?? text;
}

function patternOf(sentence: string): Pattern {
  const pieces = sentence.split(/\{(\w+)\}/);
  const literals = pieces.filter((_, index) => index % 2 === 0);
  return {
    literals,
    first: literals[0] ?? '',
    last: literals.at(-1) ?? '',
    names: pieces.filter((_, index) => index % 2 === 1),
  };
}

/**
 * The values of a text that fits a pattern. The last one takes all there is, as it may come from outside and hold anything; the
 * others end where they first can. Takes time linear in the text.
 */
function valuesIn(text: string, { literals, first, last }: Pattern): readonly string[] | null {
  if (literals.length === 1) return text === first ? [] : null;
  if (!text.startsWith(first) || !text.endsWith(last)) return null;
  const end = text.length - last.length;
  const values: string[] = [];
  let position = first.length;
  for (const literal of literals.slice(1, -1)) {
    const found = text.indexOf(literal, position);
    if (found < 0) return null;
    values.push(text.slice(position, found));
    position = found + literal.length;
  }
  return position <= end ? [...values, text.slice(position, end)] : null;
}

const filledIn = ({ literals, names }: Pattern, valueOf: (name: string) => string): string =>
  literals
    .map((literal, index) => literal + (index < names.length ? valueOf(names[index] ?? '') : ''))
    .join('');

/**
 * The translator into the reader's language, which leaves everything as it is where that is English, or one that is not there.
 * @param translations by language, as `extension/i18n.ts` names it
 */
export function readersTranslator<Id extends string>(
  heard: Readonly<Record<Id, string>>,
  translations: Readonly<Record<string, Readonly<Record<Id, string>>>>,
): (text: string) => string {
  const said = translations[language];
  return said === undefined ? (text) => text : translator(heard, said);
}
