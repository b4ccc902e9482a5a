/** A sabotage of the engine: a text that is replaced. */
export interface Mutation {
  /** What it breaks. */
  readonly breaks: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly before: string;
  readonly after: string;
  /** The configuration of the audit's matrix and the relation that find it. */
  readonly foundBy: readonly [configuration: string, relation: string];
}
