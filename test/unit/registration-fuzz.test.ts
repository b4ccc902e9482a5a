import fc from 'fast-check';
import { chromiumLimits } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import { parseJsonHeader } from '../../src/registration/header';
import type { Parsed } from '../../src/parsing/issues';
import { serializeSource, serializeTrigger } from '../../src/registration/serialize';
import { parseSource } from '../../src/registration/source';
import { parseTrigger } from '../../src/registration/trigger';
import { TRAPS } from './helpers/parsing';
import { anySource, anyTrigger } from './helpers/registrations';
import { english } from '../../words/english';

/** Every path within a document, written as issues write them; the document itself is the empty path. */
function pathsOf(value: Json, path = '', paths = new Set<string>()): Set<string> {
  paths.add(path);
  if (Array.isArray(value)) {
    (value as readonly Json[]).forEach((item, index) => pathsOf(item, `${path}[${index}]`, paths));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      pathsOf(item, path === '' ? key : `${path}.${key}`, paths);
  }
  return paths;
}

/** A mutation: at the n-th field of the document (in order of appearance, cyclically), do this. */
type Mutation = { readonly at: number } & (
  | { readonly kind: 'delete' }
  | { readonly kind: 'replace'; readonly value: Json }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'wrap' }
);

const junk: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>(null, true, 0, -1, 1.5, 2 ** 32, 1e308, -0, '', '-1', [], {}, [[]], [null], {
    '': null,
  }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...TRAPS, '\ud800', '0'.repeat(1000), '٣'),
  fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<Json>,
);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(1000) }),
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(1000), value: junk }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(1000) }),
  fc.record({
    kind: fc.constant('rename' as const),
    at: fc.nat(1000),
    name: fc.oneof(fc.string(), fc.constantFrom(...TRAPS)),
  }),
  fc.record({ kind: fc.constant('wrap' as const), at: fc.nat(1000) }),
);

/** The header text of a document after a mutation; by text, so that fields can stand in it twice. */
function mutate(document: Json, mutation: Mutation): string {
  const count = pathsOf(document).size - 1;
  let position = count === 0 ? -1 : mutation.at % count;
  const write = (value: Json): string => {
    if (Array.isArray(value)) {
      return `[${(value as readonly Json[]).flatMap((item) => entry(item, null)).join()}]`;
    }
    if (typeof value === 'object' && value !== null) {
      return `{${Object.entries(value)
        .flatMap(([key, item]) => entry(item, key))
        .join()}}`;
    }
    return JSON.stringify(value);
  };
  const entry = (value: Json, key: string | null): string[] => {
    const chosen = position-- === 0;
    const field = (text: string, name = key): string =>
      name === null ? text : `${JSON.stringify(name)}:${text}`;
    const text = write(value);
    if (!chosen) return [field(text)];
    switch (mutation.kind) {
      case 'delete':
        return [];
      case 'replace':
        return [field(JSON.stringify(mutation.value))];
      case 'repeat':
        return [field(text), field(text)];
      case 'rename':
        return [key === null ? text : field(text, mutation.name)];
      case 'wrap':
        return [field(`[${text}]`)];
    }
  };
  return write(document);
}

/** Holds for any answer: it has a value or errors, and every issue names the place in the document and the problem. */
function expectPrecise(json: Json, { value, errors, warnings }: Parsed<unknown>): void {
  expect(value === null).toBe(errors.length > 0);
  const paths = pathsOf(json);
  for (const { path, message } of [...errors, ...warnings].map(english.worded)) {
    expect(paths).toContain(path);
    expect(message.length).toBeGreaterThan(5);
    expect(message.length).toBeLessThan(400);
  }
}

const parsers = {
  navigation: (json: Json): Parsed<unknown> => parseSource(json, 'navigation', chromiumLimits),
  event: (json: Json): Parsed<unknown> => parseSource(json, 'event', chromiumLimits),
  trigger: (json: Json): Parsed<unknown> => parseTrigger(json, chromiumLimits),
};

describe.each(['navigation', 'event', 'trigger'] as const)('the validator of %s registrations', (kind) => {
  const valid: fc.Arbitrary<Json> =
    kind === 'trigger' ? anyTrigger.map(serializeTrigger) : anySource(kind).map(serializeSource);

  test('says precisely what is wrong with mutations of valid headers, and never throws', () => {
    let refused = 0;
    fc.assert(
      fc.property(valid, mutation, mutation, fc.boolean(), (document, first, second, both) => {
        let text = mutate(document, first);
        if (both) text = mutate(JSON.parse(text) as Json, second);
        const header = parseJsonHeader(text);
        expect(header.errors).toEqual([]);
        for (const { path } of header.warnings) expect(pathsOf(header.value)).toContain(path);
        const parsed = parsers[kind](header.value);
        if (parsed.value === null) refused += 1;
        expectPrecise(header.value, parsed);
      }),
      { numRuns: 2000 },
    );
    // Otherwise the mutations would test nothing.
    expect(refused).toBeGreaterThan(300);
  });

  test('says precisely what is wrong with any JSON, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(junk, fc.dictionary(fc.string(), junk)), (json) => {
        const travelled = JSON.parse(JSON.stringify(json)) as Json;
        expectPrecise(travelled, parsers[kind](travelled));
      }),
      { numRuns: 1000 },
    );
  });

  test('never throws on text that is no JSON', () => {
    fc.assert(
      fc.property(
        valid,
        fc.nat(2000),
        fc.string({ unit: 'binary', maxLength: 5 }),
        (document, at, inserted) => {
          const text = JSON.stringify(document);
          const position = at % (text.length + 1);
          const { value, errors } = parseJsonHeader(
            text.slice(0, position) + inserted + text.slice(position),
          );
          if (errors.length > 0) expect(value).toBeNull();
          else expectPrecise(value, parsers[kind](value));
        },
      ),
    );
  });

  test.each([10, 199, 200, 5000, 50_000])('never throws on a field %s lists deep', (depth) => {
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    for (const name of [
      'destination',
      'filter_data',
      'event_trigger_data',
      'filters',
      'named_budgets',
      'unknown',
    ]) {
      const { value, errors } = parseJsonHeader(`{"${name}":${deep}}`);
      if (errors.length > 0) expect(value).toBeNull();
      else expect(() => parsers[kind](value)).not.toThrow();
    }
  });
});
