import type { JsonObject } from '../../../../src/model/json';
import type { RandomSource } from '../../../../src/privacy/random-source';

/** Random choices that a seed repeats. */
export class Choices {
  constructor(private readonly random: RandomSource) {}

  below(bound: number): number {
    return Number(this.random.uint64() % BigInt(bound));
  }

  oneOf<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to choose from');
    return item;
  }
}

/**
 * @param number different for each, to tell registrations apart
 * @param hasSums whether it may have `trigger_specs`
 */
export function sourceHeader(choices: Choices, number: number, hasSums: boolean): JsonObject {
  return {
    source_event_id: String(number),
    destination: `https://shop${choices.below(2)}.example`,
    event_level_epsilon: choices.oneOf([1, 5, 9, 14]),
    priority: String(choices.below(3)),
    ...(choices.below(2) === 0 ? { debug_key: '1', debug_reporting: true } : {}),
    ...choices.oneOf<JsonObject>([
      {},
      { max_event_level_reports: 1 },
      { trigger_data: [0], max_event_level_reports: 1, event_report_window: 172_800 },
      { attribution_scopes: { limit: 2, values: [String(choices.below(3))], max_event_states: 3 } },
      hasSums
        ? {
            trigger_specs: [
              { trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [5, 10] },
            ],
          }
        : {},
    ]),
  };
}

export function triggerHeader(choices: Choices, number: number): JsonObject {
  return {
    // Only to tell registrations apart.
    number,
    event_trigger_data: [
      {
        trigger_data: String(choices.below(2)),
        priority: String(choices.below(3)),
        value: 1 + choices.below(8),
        ...(choices.below(4) === 0 ? { deduplication_key: String(choices.below(5)) } : {}),
      },
    ],
    ...(choices.below(2) === 0 ? { debug_key: '2', debug_reporting: true } : {}),
    ...(choices.below(8) === 0 ? { attribution_scopes: [String(choices.below(3))] } : {}),
  };
}
