/** The trial's address that the background put into the fragment; empty if none. */
export const linkOfPage = (): string => new URLSearchParams(location.hash.slice(1)).get('link') ?? '';

/** The invitation code in a trial's address (`https://…/trial.json#invitation=CODE`); empty if none. */
export function invitationIn(link: string): string {
  const hash = link.indexOf('#');
  return hash < 0 ? '' : (new URLSearchParams(link.slice(hash + 1)).get('invitation') ?? '');
}
