import { visibleJson } from '../../scripts/visible.mjs';

/** What JSON.stringify leaves as it is, and a terminal shows. */
const PLAIN = /^[\0-\x7e]*$/;

/**
 * The bytes of JSON, or of lines of JSON, for files and streams that people also look at in a terminal. Its texts have escapes in the place of
 * what a terminal would obey, so every reader reads the same.
 */
export const jsonBytes = (json: string): Uint8Array =>
  new TextEncoder().encode(PLAIN.test(json) ? json : visibleJson(json));
