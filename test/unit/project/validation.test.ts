import fc from 'fast-check';
import { main } from '../../../cli/main';
import { check } from '../../../extension/pages/explain/workbench';
import type { SourceType } from '../../../src/model/limits';
import type { JsonObject } from '../../../src/model/json';
import { useCommands } from '../helpers/command';
import { conditions, newEngine, outcomeOf, sourceRegistration } from '../helpers/engine';

const { out, err, file } = useCommands();

interface Validated {
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly value: unknown;
}

/** A document with the exit code of `cointoss validate`, and what it printed. */
async function validate(fields: JsonObject, type: SourceType): Promise<{ code: number } & Validated> {
  const header = file('source.json', { destination: 'https://shop.example', ...fields });
  const code = await main(['validate', header, '--source', '--source-type', type]);
  return { code, ...(JSON.parse(out.splice(0).join('')) as Validated) };
}

/** What the engine says where nothing is stored yet. */
const engineSays = async (fields: JsonObject, type: SourceType): Promise<string> =>
  outcomeOf(await newEngine().engine.register(sourceRegistration(fields, type), conditions({ kind: 'on' })));

const workbenchErrors = (fields: JsonObject, as: SourceType): number =>
  check({ as, text: JSON.stringify({ destination: 'https://shop.example', ...fields }) }).errors.length;

const cases: readonly (readonly [SourceType, JsonObject, string, RegExp])[] = [
  [
    'navigation',
    { max_event_level_reports: 20 },
    'source-trigger-state-cardinality-limit',
    /^must have at most 4294967295 states, has \d+$/,
  ],
  [
    'navigation',
    { max_event_level_reports: 5 },
    'source-channel-capacity-limit',
    /^must have an output of at most 11\.5 bits, has one of 14\.9\d*; an event_level_epsilon of up to 12\.689\d* fits$/,
  ],
  [
    'event',
    { attribution_scopes: { limit: 1, values: ['a'], max_event_states: 2 } },
    'source-max-event-states-limit',
    /^must have at most 2 states \(max_event_states\), has 3$/,
  ],
  [
    'navigation',
    { attribution_scopes: { limit: 1000, values: ['a'], max_event_states: 100 } },
    'source-scopes-channel-capacity-limit',
    /^must have an output with attribution scopes of at most 11\.55 bits, has one of 16\.\d+$/,
  ],
];

test.each(cases)(
  'a %s source with %j is refused as the engine refuses it: %s',
  async (type, fields, reason, message) => {
    expect(await engineSays(fields, type)).toBe(reason);
    const said = await validate(fields, type);
    expect(said.errors.map((error) => error.path)).toEqual(['']);
    expect(said.errors[0]?.message).toMatch(message);
    expect(said.code).toBe(1);
    expect(said.value).toBeNull();
    expect(workbenchErrors(fields, type)).toBe(1);
  },
);

test('command, workbench and engine agree on sources of any size', async () => {
  const sizes = fc.record({
    max_event_level_reports: fc.integer({ min: 0, max: 20 }),
    trigger_data: fc.integer({ min: 0, max: 32 }).map((n) => Array.from({ length: n }, (_, index) => index)),
    event_level_epsilon: fc.double({ min: 0, max: 14, noNaN: true }),
    event_report_windows: fc
      .integer({ min: 1, max: 5 })
      .map((n) => ({ end_times: Array.from({ length: n }, (_, index) => 86_400 * (index + 1)) })),
  });
  const refusals = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom<SourceType>('navigation', 'event'), sizes, async (type, fields) => {
      const verdict = await engineSays(fields, type);
      refusals.add(verdict);
      expect((await validate(fields, type)).code === 0).toBe(verdict === 'stored');
      expect(workbenchErrors(fields, type) === 0).toBe(verdict === 'stored');
    }),
    { numRuns: 60, seed: 13 },
  );
  expect(refusals.size).toBe(3);
});

test('states says which limit a source passes, with the ε that was asked for', async () => {
  const source = file('s.json', { max_event_level_reports: 5 });
  expect(await main(['states', source, '--source-type', 'navigation'])).toBe(0);
  expect(err.splice(0).join('')).toMatch(/s\.json: must have an output of at most 11\.5 bits, has one of/);
  expect(await main(['states', source, '--source-type', 'navigation', '--epsilon', '9'])).toBe(0);
  expect(err).toEqual([]);
});
