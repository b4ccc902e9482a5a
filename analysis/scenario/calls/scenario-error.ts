/** A mistake in a scenario that only running it reveals. */
export class ScenarioError extends Error {
  /** @param path in the file */
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}
