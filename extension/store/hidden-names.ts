import { sha256 } from '@noble/hashes/sha2.js';

/**
 * What stands for a name where it is a key: Chrome keeps some keys of deleted rows in a file that it replaces only when it starts, or later.
 * Numbers stay as they are.
 */
export type Hide = <Key extends IDBValidKey>(key: Key) => Key;

/** In bytes: that of the salt, and of a key. No two names get the same one. */
const SALT_LENGTH = 32;
const KEY_LENGTH = 16;

export const newSalt = (): Uint8Array => crypto.getRandomValues(new Uint8Array(SALT_LENGTH));

/** Without the salt, nobody can try names. So it must never be a key, and not outlast the database. */
export function hiding(salt: Uint8Array): Hide {
  const salted = sha256.create().update(salt);
  const encoder = new TextEncoder();
  const hide = (name: string): string => {
    const hash = salted.clone().update(encoder.encode(name)).digest();
    return String.fromCharCode(...hash.subarray(0, KEY_LENGTH));
  };
  return <Key extends IDBValidKey>(key: Key): Key => (typeof key === 'string' ? (hide(key) as Key) : key);
}
