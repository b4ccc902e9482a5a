import { visibleJson } from '../../scripts/visible.mjs';

/** Characters that JSON.stringify leaves unescaped and that terminals interpret. */
const PLAIN = /^[\0-\x7e]*$/;

/**
 * The bytes of JSON, or of lines of JSON, for files and streams that people also view in a terminal. Characters that a terminal would
 * interpret are escaped, so every reader reads the same.
 */
export const jsonBytes = (json: string): Uint8Array =>
  new TextEncoder().encode(PLAIN.test(json) ? json : visibleJson(json));
