import type { Json } from '../../../../src/model/json';
import { TRAPS } from '../parsing';

/** Uniform numbers from a seed (mulberry32): fast, and the same on every machine. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  below(range: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * range);
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }
}

/** JSON as text, so that a field can stand in it twice and a number can have any digits. */
type Node = { entries: [name: string, value: Node][] } | { items: Node[] } | { text: string };

const nodeOf = (value: Json): Node => {
  if (Array.isArray(value)) return { items: (value as readonly Json[]).map(nodeOf) };
  if (typeof value === 'object' && value !== null)
    return { entries: Object.entries(value).map(([name, item]) => [name, nodeOf(item)]) };
  return { text: JSON.stringify(value) };
};

const textOf = (node: Node): string => {
  if ('text' in node) return node.text;
  if ('items' in node) return `[${node.items.map(textOf).join()}]`;
  return `{${node.entries.map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join()}}`;
};

/** Where a node stands: reads and replaces it, or removes it. */
interface Slot {
  readonly siblings: unknown[];
  readonly index: number;
  readonly node: Node;
}

function slotsIn(node: Node, slots: Slot[] = []): Slot[] {
  if ('items' in node)
    node.items.forEach((item, index) => {
      slots.push({ siblings: node.items, index, node: item });
      slotsIn(item, slots);
    });
  else if ('entries' in node)
    node.entries.forEach(([, item], index) => {
      slots.push({ siblings: node.entries, index, node: item });
      slotsIn(item, slots);
    });
  return slots;
}

const JUNK: readonly string[] = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '-1',
    '1.5',
    '5e-324',
    '4294967296',
    '9007199254740993',
    '1e15',
    '1e21',
    '1e308',
  ],
  ...[
    '1e999',
    '-1e999',
    '123456789012345678901234567890',
    '""',
    '"-1"',
    '"0x1"',
    '"18446744073709551616"',
    '"Infinity"',
  ],
  ...[
    '"NaN"',
    '"1e999"',
    '"99999999999999999999"',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '{"":null}',
    '{"__proto__":{"x":1}}',
  ],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '"٣"',
    '"https://a.example"',
    '"http://localhost:1/x"',
    '"*://*/*a*b*"',
    '"javascript:x"',
  ],
  ...[
    '{"$extract":{"as":"integer"}}',
    '{"$bigint":"5"}',
    '{"$bigint":"x"}',
    '{"$map":[[1]]}',
    '"2027-02-30T00:00Z"',
  ],
  `"${'long '.repeat(100)}"`,
  `"${'7'.repeat(400)}"`,
  `${'['.repeat(250)}${']'.repeat(250)}`,
  `[${'0,'.repeat(200)}0]`,
  `{${Array.from({ length: 60 }, (_, index) => `"k${index}":[]`).join()}}`,
];

const NAMES: readonly string[] = [
  ...TRAPS,
  '',
  '_',
  '$extract',
  '$bigint',
  'k'.repeat(500),
  'a b',
  'ü',
  '\ud800',
];

function mutateOnce(dice: Dice, root: Node): Node {
  const slots = slotsIn(root);
  if (slots.length === 0) return { text: dice.pick(JUNK) };
  const { siblings, index, node } = dice.pick(slots);
  const put = (value: Node): void => {
    const sibling = siblings[index];
    siblings[index] = Array.isArray(sibling) ? [sibling[0], value] : value;
  };
  switch (dice.below(9)) {
    case 0:
      siblings.splice(index, 1);
      break;
    case 1:
    case 2:
      put({ text: dice.pick(JUNK) });
      break;
    case 3:
      siblings.splice(index, 0, siblings[index]);
      break;
    case 4: {
      const sibling = siblings[index];
      const other = dice.pick(slots).siblings[0];
      const names = Array.isArray(other) ? [...NAMES, String(other[0])] : NAMES;
      if (Array.isArray(sibling)) siblings[index] = [dice.pick(names), node];
      break;
    }
    case 5:
      put({ items: [node] });
      break;
    case 6:
      // A copy of its text, because a node must not come to stand in itself.
      put({ text: textOf(dice.pick(slots).node) });
      break;
    case 7:
      if ('items' in node && node.items.length > 0)
        put({
          text: `[${Array<string>(30)
            .fill(textOf(dice.pick(node.items)))
            .join()}]`,
        });
      break;
    default:
      if ('text' in node) put({ text: withEditedText(dice, node.text) });
  }
  return root;
}

/** Changes a number or the inside of a string a little. */
function withEditedText(dice: Dice, text: string): string {
  if (!text.startsWith('"')) return `${text}${dice.pick(['0', '.5', 'e9', 'e300'])}`;
  const at = 1 + dice.below(text.length - 1);
  const inserted = dice.pick(['0', '-', '*', '.', ':', '/', ' ', '\\u0000', 'é', '', '9'.repeat(30)]);
  const edited = text.slice(0, at) + inserted + text.slice(at + dice.below(2));
  return edited.endsWith('"') ? edited : `${edited}"`;
}

/** The text of a document after one to three mutations; seldom it is no JSON. */
export function mutated(dice: Dice, document: Json): string {
  let root = nodeOf(document);
  for (let count = 1 + dice.below(3); count > 0; count--) root = mutateOnce(dice, root);
  const text = textOf(root);
  return dice.below(50) === 0 ? mutatedText(dice, text) : text;
}

const CHARACTERS = '{}[]",:;=?*()\\ \t\n0aZ\u0000é\ud83d'.split('');

/** As `mutated`, for text that is no JSON. */
export function mutatedText(dice: Dice, text: string): string {
  let found = text;
  for (let count = 1 + dice.below(4); count > 0; count--) {
    const at = dice.below(found.length + 1);
    const copied = found.slice(at, at + dice.below(12));
    const inserted = dice.below(3) === 0 ? copied.repeat(1 + dice.below(3)) : dice.pick(CHARACTERS);
    found = found.slice(0, at) + inserted + found.slice(at + dice.below(3));
  }
  return found;
}
