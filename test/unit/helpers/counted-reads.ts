/** What was asked of databases. */
export interface DatabaseUse {
  readonly transactions: number;
  /** Reads; writes are not waited for. */
  readonly requests: number;
  /** Reads that are asked before any of them is answered are one round. */
  readonly rounds: number;
}

const reading = ['get', 'getAll', 'getAllKeys', 'count', 'openCursor', 'openKeyCursor'] as const;

type Method = (...given: unknown[]) => unknown;

/** Counts what some work asks of the databases of this realm: of a browser's page, or of Node's. */
export async function useOf(work: () => Promise<unknown>): Promise<DatabaseUse> {
  const use = { transactions: 0, requests: 0, rounds: 0 };
  let isWaiting = false;
  const noteRead = (request: IDBRequest): void => {
    use.requests += 1;
    if (!isWaiting) use.rounds += 1;
    isWaiting = true;
    request.addEventListener('success', () => (isWaiting = false));
  };
  const stops = [
    ...[IDBObjectStore.prototype, IDBIndex.prototype].flatMap((prototype) =>
      reading.map((name) => watch(prototype, name, (request) => noteRead(request as IDBRequest))),
    ),
    watch(IDBDatabase.prototype, 'transaction', () => (use.transactions += 1)),
  ];
  try {
    await work();
  } finally {
    for (const stop of stops) stop();
  }
  return use;
}

/** Tells of each result of a method. @returns how to stop */
function watch<Name extends string>(
  prototype: Readonly<Record<Name, unknown>>,
  name: Name,
  tell: (result: unknown) => void,
): () => void {
  const original = prototype[name] as Method;
  const put = (method: Method): void =>
    void Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true });
  put(function (this: unknown, ...given) {
    const result = original.apply(this, given);
    tell(result);
    return result;
  });
  return () => put(original);
}
