import { accept, readJson } from '../../cli/io/input';
import type { Limits } from '../../src/model/limits';
import { seededRandomSource } from '../../analysis/random/sources';
import { parse } from '../../formats/codec/issues';
import { apiConfig } from '../../analysis/scenario/api-config';
import { replayCalls } from '../../analysis/scenario/calls/replay-calls';
import type { StatedHistogram } from '../../analysis/scenario/calls/scenario-calls';
import { comparable } from '../../analysis/scenario/compare';
import { replay } from '../../analysis/scenario/replay';
import { parseScenario, type ScenarioReport } from '../../analysis/scenario/scenario';
import { english } from '../../words/english';

/** The reports that a case file expects and those that replay sends, in comparable order. */
export interface Outcome {
  readonly expected: Side;
  readonly actual: Side;
}

interface Side {
  readonly reports: readonly ScenarioReport[];
  readonly histograms: readonly StatedHistogram[];
}

/** Replays a case file, with no noise except what the file forces. */
export async function runCase(file: string, limits: Limits): Promise<Outcome> {
  const parsed = parseScenario(readJson(file), limits);
  const scenario = accept(file, parsed);
  if (parsed.warnings.length > 0) {
    throw new Error(`${file}: ${english.issuesText(parsed.warnings)}`);
  }
  const sent = await replay(scenario, {
    noise: false,
    random: (stream) => seededRandomSource('conformance', stream),
  });
  return {
    expected: { reports: comparable(scenario.reports), histograms: scenario.w3c.histograms },
    actual: { reports: comparable(sent), histograms: replayCalls(scenario.w3c, { random: null }) },
  };
}

/** The limits that the file's `api_config` sets. */
export const limitsOf = (file: string, defaults: Limits): Limits =>
  accept(file, parse(readJson(file), apiConfig(defaults))).limits;
