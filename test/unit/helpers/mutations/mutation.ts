export type FoundBy = readonly [configuration: string, relation: string, observer?: 'everyone'];

/** A sabotage of the engine: a text that is replaced. */
export interface Mutation {
  /** What it breaks. */
  readonly breaks: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly before: string;
  readonly after: string;
  /** The configuration of the audit's matrix and the relation that find it; to a reporting site unless `everyone` has to look. */
  readonly foundBy: FoundBy;
}
