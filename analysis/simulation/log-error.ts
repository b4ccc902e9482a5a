/** A mistake in a user's log: the event, the place in it, and the problem. */
export class LogError extends Error {
  constructor(
    readonly event: number,
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}
