import type { JsonObject } from '../../../src/model/json';
import { chromiumLimits } from '../../../src/model/limits';
import { hasAggregatableData } from '../../../src/model/registration';
import { accepted, acceptedWithWarning, expectRefused, parsedTrigger } from '../helpers/parsing';

const [COORDINATOR = ''] = chromiumLimits.aggregationCoordinatorOrigins;
const MAX_BUDGET = 65536;

describe('the aggregatable half of a trigger', () => {
  test.each<[string, JsonObject]>([
    ['trigger data', { aggregatable_trigger_data: [{ key_piece: '0x1', source_keys: ['a'], filters: {} }] }],
    ['values', { aggregatable_values: { a: 1, b: MAX_BUDGET, c: { value: 5, filtering_id: '255' } } }],
    ['a list of values', { aggregatable_values: [{ values: { a: 1 }, not_filters: {} }] }],
    [
      'wide filtering ids',
      {
        aggregatable_filtering_id_max_bytes: 8,
        aggregatable_values: { a: { value: 1, filtering_id: '18446744073709551615' } },
      },
    ],
    [
      'deduplication keys',
      { aggregatable_deduplication_keys: [{ deduplication_key: '1', filters: [] }, {}] },
    ],
    ['named budgets', { named_budgets: [{ name: 'a', filters: {} }, {}] }],
    ['a coordinator', { aggregation_coordinator_origin: `${COORDINATOR}/path` }],
    ['a context id of 64 characters', { trigger_context_id: 'x'.repeat(64) }],
    ['the source time', { aggregatable_source_registration_time: 'include' }],
    [
      'no source time, with a context id',
      { aggregatable_source_registration_time: 'exclude', trigger_context_id: '' },
    ],
  ])('may have %s', (_name, fields) => {
    accepted(parsedTrigger(fields));
  });

  test('is read completely', () => {
    const kind = { kind: ['shoes'] };
    const filters = {
      filters: [{ values: new Map([['kind', ['shoes']]]), lookbackWindow: null }],
      notFilters: [],
    };
    const fields: JsonObject = {
      aggregatable_trigger_data: [{ key_piece: '0X1f', source_keys: ['a'], filters: kind }],
      aggregatable_values: [{ values: { a: 1, b: { value: 2, filtering_id: '300' } }, filters: kind }],
      aggregatable_deduplication_keys: [{ deduplication_key: '5', filters: kind }],
      named_budgets: [{ name: 'n', filters: kind }],
      aggregation_coordinator_origin: COORDINATOR,
      trigger_context_id: 'x',
      aggregatable_filtering_id_max_bytes: 2,
    };
    expect(accepted(parsedTrigger(fields)).aggregatable).toEqual({
      triggerData: [{ keyPiece: 31n, sourceKeys: ['a'], ...filters }],
      values: [
        {
          values: new Map([
            ['a', { value: 1, filteringId: 0n }],
            ['b', { value: 2, filteringId: 300n }],
          ]),
          ...filters,
        },
      ],
      deduplicationKeys: [{ deduplicationKey: 5n, ...filters }],
      namedBudgets: [{ name: 'n', ...filters }],
      coordinatorOrigin: COORDINATOR,
      sourceRegistrationTime: 'exclude',
      contextId: 'x',
      filteringIdMaxBytes: 2,
      debugReporting: {},
    });
  });

  test.each<[string, JsonObject, string, string]>([
    [
      'trigger data without key',
      { aggregatable_trigger_data: [{}] },
      'aggregatable_trigger_data[0]',
      '"key_piece"',
    ],
    [
      'source keys that are no strings',
      { aggregatable_trigger_data: [{ key_piece: '0x1', source_keys: [1] }] },
      'aggregatable_trigger_data[0].source_keys[0]',
      'must be a string',
    ],
    ['a value of 0', { aggregatable_values: { a: 0 } }, 'aggregatable_values.a', 'from 1 to 65536'],
    [
      'a value past the budget',
      { aggregatable_values: { a: MAX_BUDGET + 1 } },
      'aggregatable_values.a',
      'from 1 to 65536',
    ],
    [
      'a value that is a string',
      { aggregatable_values: { a: '1' } },
      'aggregatable_values.a',
      'must be an integer from 1 to 65536, was "1"',
    ],
    [
      'a filtering id past its bytes',
      { aggregatable_values: { a: { value: 1, filtering_id: '256' } } },
      'aggregatable_values.a.filtering_id',
      'below 256^1',
    ],
    [
      'values without values',
      { aggregatable_values: [{}] },
      'aggregatable_values[0]',
      'must have the field "values"',
    ],
    [
      'filtering ids of 0 bytes',
      { aggregatable_filtering_id_max_bytes: 0 },
      'aggregatable_filtering_id_max_bytes',
      'from 1 to 8',
    ],
    [
      'filtering ids of 9 bytes',
      { aggregatable_filtering_id_max_bytes: 9 },
      'aggregatable_filtering_id_max_bytes',
      'from 1 to 8',
    ],
    [
      'a broken deduplication key',
      { aggregatable_deduplication_keys: [{ deduplication_key: 1 }] },
      'aggregatable_deduplication_keys[0].deduplication_key',
      'unsigned 64-bit',
    ],
    [
      'a budget name that is no string',
      { named_budgets: [{ name: 1 }] },
      'named_budgets[0].name',
      'must be a string',
    ],
    ['budgets that are no list', { named_budgets: {} }, 'named_budgets', 'must be a list'],
    [
      'another coordinator',
      { aggregation_coordinator_origin: 'https://x.example' },
      'aggregation_coordinator_origin',
      'must be one of',
    ],
    [
      'a context id of 65 characters',
      { trigger_context_id: 'x'.repeat(65) },
      'trigger_context_id',
      'at most 64',
    ],
    [
      'an unknown source time',
      { aggregatable_source_registration_time: 'constructor' },
      'aggregatable_source_registration_time',
      'must be "exclude" or "include"',
    ],
    [
      'the source time with a context id',
      { aggregatable_source_registration_time: 'include', trigger_context_id: 'x' },
      '',
      'must not include aggregatable_source_registration_time',
    ],
    [
      'the source time with wide filtering ids',
      { aggregatable_source_registration_time: 'include', aggregatable_filtering_id_max_bytes: 2 },
      '',
      'must not include aggregatable_source_registration_time',
    ],
  ])('must not have %s', (_name, fields, path, message) => {
    expectRefused(parsedTrigger(fields), path, message);
  });

  test('warns of debug reporting with a mistake, without refusing', () => {
    acceptedWithWarning(
      parsedTrigger({ aggregatable_debug_reporting: { key_piece: 'x' } }),
      'aggregatable_debug_reporting.key_piece',
      '(ignored)',
    );
  });

  test.each<[JsonObject, boolean]>([
    [{}, false],
    [{ aggregatable_trigger_data: [] }, false],
    [{ aggregatable_trigger_data: [{ key_piece: '0x1' }] }, true],
    [{ aggregatable_values: {} }, false],
    [{ aggregatable_values: { a: 1 } }, true],
    [{ aggregatable_values: [{ values: {} }] }, false],
    [{ aggregatable_values: [{ values: {} }, { values: { a: 1 } }] }, true],
    [{ aggregatable_deduplication_keys: [{}] }, false],
  ])('%j has data: %s', (fields, has) => {
    expect(hasAggregatableData(accepted(parsedTrigger(fields)).aggregatable)).toBe(has);
  });
});
