import type { Observer } from '../../../../analysis/audit/observer';

/** A text of a file, and what stands in its place. */
export interface Change {
  readonly file: string;
  /** Occurs once in the file. */
  readonly before: string;
  readonly after: string;
}

export type FoundBy = readonly [configuration: string, relation: string, observer?: Observer];

/** A sabotage of the engine: a text that is replaced. */
export interface Mutation extends Change {
  /** What it breaks. */
  readonly breaks: string;
  /** The configuration of the audit's matrix and the relation that find it; to a reporting site unless `everyone` has to look. */
  readonly foundBy: FoundBy;
}

/** A change of the engine by which nobody learns more: the audit must find nothing. */
export interface Harmless extends Change {
  readonly changes: string;
  readonly because: string;
  /** The configurations whose rows all hold with it. */
  readonly configurations: readonly string[];
}
