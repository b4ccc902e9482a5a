/** The trial's address that the background put into the fragment; empty if none. */
export const linkOfPage = (): string => new URLSearchParams(location.hash.slice(1)).get('link') ?? '';

/** The invitation code in a trial's address (`https://…/trial.json#invitation=CODE`); empty if none. */
export const invitationIn = (link: string): string =>
  new URLSearchParams(/#(.*)$/.exec(link)?.[1] ?? '').get('invitation') ?? '';
