import type { LostReports } from '../analysis/estimate/unbiased/lost-reports';
import type { Quantity } from '../analysis/estimate/quantities/quantities';
import type { Uniform } from '../analysis/estimate/likelihood/statistical-draws';
import type { JsonObject } from '../src/model/json';
import type { SourceType } from '../src/model/limits';
import type { Simulated } from './simulated';

/** Sources of a trial, what happens to their reports, and what the estimates know about it. */
export interface Setting {
  readonly name: string;
  readonly type: SourceType;
  readonly fields?: JsonObject;
  readonly epsilon: number;
  readonly groups: (source: Simulated) => readonly Group[];
  readonly kinds: readonly Quantity['kind'][];
  /** The probability that a report is lost. */
  readonly lost?: number;
  /** The only group that loses reports, by its place; without, all do. */
  readonly lostIn?: number;
  /** What arrives instead of an output, if that is not a loss that is as likely for each report. */
  readonly arrives?: (source: Simulated) => (output: string, uniform: Uniform) => string;
  /** The share of sources with the noise of another ε than the log has. */
  readonly misstated?: { readonly share: number; readonly epsilon: number };
  /** What `--lost` says in a run. */
  readonly given?: (uniform: Uniform) => LostReports;
  /** `--lost` says in a run how many reports fit no window of their source, as the command proposes. */
  readonly isProposed?: true;
  /** The tallies come from a log of sources and their reports. */
  readonly log?: Log;
  /** Draws a source's truth anew in each run. */
  readonly sampling?: (uniform: Uniform, truths: readonly string[]) => string;
  /** Names the level of a group; without, by its depth. */
  readonly levelOf?: (group: readonly string[]) => string;
}

/** Sources are registered within 20 days, and the log is taken when the last window has ended. */
export interface Log {
  /** The share of sources with the id of another. */
  readonly reused: number;
  /** The share of reports with a delay, of three days on average. */
  readonly delayed: number;
  /** The share of devices whose clock is an hour ahead of the log's; without, none. */
  readonly ahead?: number;
}

export interface Group {
  readonly group: readonly string[];
  readonly truths: readonly string[];
}
