export const isPostgres = (store: string): boolean => /^postgres(ql)?:\/\//.test(store);

/** What begins like a URL. One letter is a drive of Windows. */
const URL_SCHEME = /^[a-z][a-z0-9+.-]+:/i;
/** What begins like a connection string of libpq, which may have a password. */
const KEYWORD = /^\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=/i;
/** What ends the name of a server or user in a URL (RFC 3986, 3.2), and belongs percent-encoded in a password. */
const RESERVED = /[/?#[\]@]/;

/**
 * What is wrong with the name of a store; null if nothing. A password with reserved characters is refused here: the database's parser
 * would take a part of it for the server's name and show it in an error.
 */
export function storeProblem(store: string): string | null {
  if (KEYWORD.test(store))
    return 'must be a URL: postgres://user@host:port/database; for a folder of that name, write ./ before it';
  if (!isPostgres(store))
    return URL_SCHEME.test(store) && !store.startsWith('memory://')
      ? 'must be a folder or postgres://…; for a folder of that name, write ./ before it'
      : null;
  const { user, password } = partsOf(store);
  if (RESERVED.test(user) || RESERVED.test(password))
    return 'must have its user and password percent-encoded (/ as %2F, @ as %40, # as %23, ? as %3F)';
  return URL.canParse(store) ? null : 'must be a URL: postgres://user@host:port/database';
}

/** The name of a store for messages, without a password or anything that may be a part of one. */
export function shownStore(store: string): string {
  if (KEYWORD.test(store)) return `${/^[^=]*/.exec(store)?.[0].trim() ?? ''}=…`;
  if (!isPostgres(store)) return URL_SCHEME.test(store) ? `${/^[^:]*/.exec(store)?.[0] ?? ''}:…` : store;
  const { scheme, user, server } = partsOf(store);
  if (storeProblem(store) !== null) return `${scheme}…`;
  // Options can have a password, too.
  return `${scheme}${user === '' ? '' : `${user}@`}${server.replace(/\?.*/s, '')}`;
}

interface StoreParts {
  readonly scheme: string;
  readonly user: string;
  readonly password: string;
  readonly server: string;
}

function partsOf(url: string): StoreParts {
  const start = url.indexOf('://') + 3;
  const at = url.lastIndexOf('@');
  const [user = '', ...password] = at < start ? [] : url.slice(start, at).split(':');
  return {
    scheme: url.slice(0, start),
    user,
    password: password.join(':'),
    server: url.slice(Math.max(at + 1, start)),
  };
}
