/*
 * Requests without `idb`, for what each registration does. That library keeps each request and transaction in weak maps, and a flood of registrations
 * left more memory with it in Firefox (docs/reliability.md).
 */

/** What is found, of a type that only the caller knows. Rejects with the error of the request. */
export const resultOf = <T>(request: IDBRequest): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T);
    request.onerror = () => reject(request.error ?? new Error('a request to the database failed'));
  });

/** Resolves when the transaction is complete. Nobody need wait for it. */
export function completionOf(transaction: IDBTransaction): Promise<void> {
  const completion = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () =>
      reject(transaction.error ?? new DOMException('the transaction was aborted', 'AbortError'));
  });
  completion.catch(() => undefined);
  return completion;
}
