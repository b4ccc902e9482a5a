import { fetchOfNetwork } from './network';

/** What stands for the browser while a background dies often: it is online, and no timer goes off. @returns puts back what was there */
export function withoutBrowser(): () => void {
  const { error } = console;
  const before = Object.getOwnPropertyDescriptors(globalThis);
  const put = (name: string, value: unknown): void =>
    void Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  put('fetch', fetchOfNetwork);
  put('navigator', { onLine: true });
  // Jest's keep what would go off, and who waits for it.
  for (const name of ['setTimeout', 'setInterval']) put(name, () => 0);
  for (const name of ['clearTimeout', 'clearInterval']) put(name, () => undefined);
  // The background says what it could not record because it was killed.
  console.error = () => undefined;
  return () => {
    for (const name of ['fetch', 'navigator', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval']) {
      const descriptor = before[name as keyof typeof before];
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
    console.error = error;
  };
}
