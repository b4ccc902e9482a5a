/** The current place in the page: `#/sources/17/why?q=shop` is the path sources, 17, why with the parameter q. */
export interface Route {
  readonly path: readonly string[];
  readonly parameters: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(decode),
    parameters: new URLSearchParams(query),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function routeTo(path: readonly (string | number)[], parameters?: URLSearchParams): string {
  const query = parameters?.toString() ?? '';
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${query === '' ? '' : `?${query}`}`;
}

/** Replaces the parameters without a history entry, so that typing in a search field does not fill the history. */
export function replaceParameters({ path }: Route, parameters: URLSearchParams): void {
  history.replaceState(null, '', routeTo(path, parameters));
}
