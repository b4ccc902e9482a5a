import { lostHeartbeats } from '../analysis/estimate/unbiased/heartbeats';
import { lostOf, type LostReports } from '../analysis/estimate/unbiased/lost-reports';
import { binomial, type Uniform } from '../analysis/estimate/likelihood/statistical-draws';
import type { JsonObject } from '../src/model/json';
import { countStates } from '../src/states/report-space';
import { shapeOf } from '../src/states/source-space';
import { simulated, type Simulated } from './simulated';
import type { Setting } from './trial-setting';
import { losing } from './trial-settings';

/** States that the sources with a conversion have in turn; the others have none. */
export const trial = (sources: number, converting: number, states: readonly string[]): readonly string[] =>
  Array.from({ length: sources }, (_, index) =>
    index < converting ? (states[index % states.length] ?? '0') : '0',
  );

/** One state for each trigger data and each list of windows. */
export const statesOf = (
  source: Simulated,
  data: number,
  windows: readonly (readonly number[])[],
): readonly string[] =>
  windows.flatMap((placed) =>
    Array.from({ length: data }, (_, position) => source.stateOf(position, placed)),
  );

export const alone =
  (of: (source: Simulated) => readonly string[]): Setting['groups'] =>
  (source) => [{ group: [], truths: of(source) }];

export const views = (sources: number, converting: number): Setting['groups'] =>
  alone((source) => trial(sources, converting, statesOf(source, 2, [[0]])));

export const clicks = (
  sources: number,
  converting: number,
  windows: readonly (readonly number[])[] = [[0], [1], [2]],
): Setting['groups'] => alone((source) => trial(sources, converting, statesOf(source, 8, windows)));

/** Groups of views, of which each has its own number of conversions. */
export const grouped =
  (
    names: readonly (readonly string[])[],
    sources: number,
    converting: (index: number) => number,
  ): Setting['groups'] =>
  (source) =>
    names.map((group, index) => ({
      group,
      truths: trial(sources, converting(index), statesOf(source, 2, [[0]])),
    }));

export const FLEXIBLE: JsonObject = {
  max_event_level_reports: 3,
  trigger_specs: [{ trigger_data: [0, 1], summary_operator: 'value_sum', summary_buckets: [5, 10, 100] }],
  event_report_windows: { end_times: [86_400, 172_800] },
};

export const numbered = (count: number): readonly (readonly string[])[] =>
  Array.from({ length: count }, (_, index) => [String(index).padStart(2, '0')]);

export const known = (rate: number) => (): LostReports => ({ rate, range: [rate, rate], from: 'given' });

/** So many reports that should have come are counted, and those of them that did not. */
export const countedOf =
  (rate: number, reports: number) =>
  (uniform: Uniform): LostReports =>
    lostOf(binomial(uniform, reports, rate), reports, 0.95);

/** So many clicks with ε = 0 are beside the others in each group, and their reports are lost with these probabilities. */
export const heartbeats =
  (sources: number, ...rates: readonly number[]) =>
  (uniform: Uniform): LostReports => {
    const source = simulated('navigation', 0);
    const lose = losing(source);
    const states = Number(countStates(shapeOf(source.configuration.shape)));
    const groups = rates.map((rate, group) => {
      const tally = new Map<string, number>();
      for (let one = 0; one < sources; one++) {
        const output = lose(String(Math.floor(uniform() * states)), rate, uniform);
        tally.set(output, (tally.get(output) ?? 0) + 1);
      }
      return { group: rates.length === 1 ? [] : (numbered(rates.length)[group] ?? []), tally };
    });
    const found = lostHeartbeats([{ configuration: source.configuration, groups }], 0.95);
    if (found === null) throw new RangeError('there must be more heartbeats');
    return found;
  };

export const conversions = ['conversions'] as const;

export const ONE_DAY: JsonObject = { event_report_windows: { end_times: [86_400] } };

/** A source of these, drawn anew. */
export const drawn = (uniform: Uniform, truths: readonly string[]): string =>
  truths[Math.floor(uniform() * truths.length)] ?? '0';
