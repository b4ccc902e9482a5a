import {
  findNodeAtLocation,
  getLocation,
  parse,
  parseTree,
  type Node,
  type ParseError,
  type Segment,
} from 'jsonc-parser';
import { mayBeTooDeep, readJsonText } from '../../../formats/codec/json-text';
import { chromiumLimits } from '../../../src/model/limits';
import type { RegisterAs } from './workbench';

interface Field {
  readonly name: string;
  /** A valid value, as JSON, which completing the name inserts. */
  readonly example: string;
  /** All values, as JSON, if there are few. */
  readonly choices?: readonly string[];
}

const field = (name: string, example: string, ...choices: string[]): Field => ({
  name,
  example,
  ...(choices.length === 0 ? {} : { choices }),
});

const windows = [field('start_time', '0'), field('end_times', '[172800, 604800]')];
const filterPair = [
  field('filters', '[{"product": ["shoes"]}]'),
  field('not_filters', '[{"product": ["shoes"]}]'),
];
const common = [field('debug_key', '"1"'), field('debug_reporting', 'true', 'true', 'false')];

type Catalogue = ReadonlyMap<string, readonly Field[]>;

/** By the path of the object, with any index as `[]`. */
const sourceFields: Catalogue = new Map([
  [
    '',
    [
      field('destination', '"https://shop.example"'),
      field('source_event_id', '"1"'),
      field('expiry', '"2592000"'),
      field('priority', '"0"'),
      field('filter_data', '{"product": ["shoes"]}'),
      field('event_report_window', '"604800"'),
      field('event_report_windows', '{"end_times": [172800, 604800]}'),
      field('max_event_level_reports', '3'),
      field('trigger_data', '[0, 1, 2, 3]'),
      field('trigger_data_matching', '"exact"', '"exact"', '"modulus"'),
      field(
        'trigger_specs',
        '[{"trigger_data": [0, 1], "summary_operator": "value_sum", "summary_buckets": [1, 10]}]',
      ),
      field('event_level_epsilon', '14'),
      field('attribution_scopes', '{"limit": 3, "values": ["a"]}'),
      field('destination_limit_priority', '"0"'),
      field('aggregation_keys', '{"campaign": "0x1"}'),
      field('aggregatable_report_window', '"2592000"'),
      field('named_budgets', '{"shoes": 32768}'),
      field('aggregatable_debug_reporting', '{"budget": 1024, "key_piece": "0x1"}'),
      ...common,
    ],
  ],
  ['event_report_windows', windows],
  [
    'trigger_specs[]',
    [
      field('trigger_data', '[0, 1]'),
      field('event_report_windows', '{"end_times": [172800, 604800]}'),
      field('summary_operator', '"value_sum"', '"count"', '"value_sum"'),
      field('summary_buckets', '[1, 10]'),
    ],
  ],
  ['trigger_specs[].event_report_windows', windows],
  ['attribution_scopes', [field('limit', '3'), field('values', '["a"]'), field('max_event_states', '3')]],
]);

const triggerFields: Catalogue = new Map([
  [
    '',
    [
      field('event_trigger_data', '[{"trigger_data": "1"}]'),
      ...filterPair,
      field('attribution_scopes', '["a"]'),
      field('aggregatable_trigger_data', '[{"key_piece": "0x1", "source_keys": ["campaign"]}]'),
      field('aggregatable_values', '{"campaign": 100}'),
      field('aggregatable_deduplication_keys', '[{"deduplication_key": "1"}]'),
      field(
        'aggregation_coordinator_origin',
        JSON.stringify(chromiumLimits.aggregationCoordinatorOrigins[0]),
      ),
      field('named_budgets', '[{"name": "shoes"}]'),
      field('aggregatable_debug_reporting', '{"key_piece": "0x1"}'),
      ...common,
    ],
  ],
  [
    'event_trigger_data[]',
    [
      field('trigger_data', '"1"'),
      field('priority', '"0"'),
      field('value', '1'),
      field('deduplication_key', '"1"'),
      ...filterPair,
    ],
  ],
]);

export const fieldsOf = (as: RegisterAs): Catalogue => (as === 'trigger' ? triggerFields : sourceFields);

/** What can stand at a place in the text, and the range that it would replace. */
export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly { readonly label: string; readonly detail: string; readonly insert: string }[];
}

/** Whether the parser of trees, which calls itself for each level, could not come back from it. A link can hold such a text. */
const isTooDeep = (text: string): boolean =>
  mayBeTooDeep(text) && readJsonText(text).problem?.code === 'json-depth';

/** What can be written at `offset`: names that the object lacks, or the values of a field that has few. */
export function completionsAt(as: RegisterAs, text: string, offset: number): Completions | null {
  if (isTooDeep(text)) return null;
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const fields = fieldsOf(as).get(patternOf(path.slice(0, -1)));
  if (fields === undefined) return null;
  const around =
    previousNode !== undefined && previousNode.offset + previousNode.length >= offset ? previousNode : null;
  const from = around?.offset ?? startOfWord(text, offset);
  const to = Math.max(offset, around === null ? offset : around.offset + around.length);
  if (isAtPropertyKey) return { from, to, options: names(fields, text, { path, to }) };
  const choices = fields.find(({ name }) => name === path.at(-1))?.choices ?? [];
  return {
    from,
    to,
    options: choices.map((choice) => ({ label: choice, detail: '', insert: choice })),
  };
}

/** Not by a regular expression, which would begin at every character of a long text. */
function startOfWord(text: string, end: number): number {
  let start = end;
  while (start > 0 && /\w/.test(text.charAt(start - 1))) start--;
  return start;
}

function names(
  fields: readonly Field[],
  text: string,
  { path, to }: { readonly path: readonly Segment[]; readonly to: number },
): Completions['options'] {
  const present = namesIn(parseTree(text), path.slice(0, -1));
  const after = text.slice(to).trimStart()[0];
  const insertOf = ({ name, example }: Field): string =>
    after === ':' ? `"${name}"` : `"${name}": ${example}${after === '"' ? ', ' : ''}`;
  return fields
    .filter(({ name }) => !present.has(name))
    .map((known) => ({ label: known.name, detail: known.example, insert: insertOf(known) }));
}

function namesIn(root: Node | undefined, path: readonly Segment[]): ReadonlySet<string> {
  const object = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return new Set(object?.children?.map(({ children }) => String(children?.[0]?.value)) ?? []);
}

const patternOf = (path: readonly Segment[]): string =>
  path.reduce<string>(
    (pattern, segment) =>
      typeof segment === 'number' ? `${pattern}[]` : pattern === '' ? segment : `${pattern}.${segment}`,
    '',
  );

/** The range of the value at an issue's path, or of its nearest ancestor. If the text is not JSON, the range of the syntax error. */
export function rangeOf(text: string, path: string): { readonly from: number; readonly to: number } {
  if (isTooDeep(text)) return { from: 0, to: text.length };
  const root = parseTree(text);
  const segments = Array.from(path.matchAll(/([^.[\]]+)|\[(\d+)\]/g), ([, name, index]) =>
    name === undefined ? Number(index) : name,
  );
  for (let length = segments.length; root !== undefined && length > 0; length--) {
    const node = findNodeAtLocation(root, segments.slice(0, length));
    if (node !== undefined) return { from: node.offset, to: node.offset + node.length };
  }
  const mistakes: ParseError[] = [];
  parse(text, mistakes);
  const start = mistakes[0]?.offset ?? text.length - text.trimStart().length;
  return { from: start, to: Math.min(text.length, start + Math.max(1, mistakes[0]?.length ?? 1)) };
}
