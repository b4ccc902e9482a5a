import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folders of Chromium's `web_tests` that test attribution reporting, each with the URL where it is served. */
const FOLDERS = [
  ['external/wpt/attribution-reporting', '/attribution-reporting'],
  ['wpt_internal/attribution-reporting', '/wpt_internal/attribution-reporting'],
] as const;

/** A page to open: a test file, or one variant of it. */
export interface Variant {
  /** The file's path on the server. */
  readonly file: string;
  /** What follows the path, such as `?method=img`; empty if the file has no variants. */
  readonly query: string;
}

/** All variants of the test files, in the order of the files. Throws when there are none. */
export function findVariants(webTests: string): readonly Variant[] {
  const found = FOLDERS.flatMap(([folder, url]) =>
    testsIn(path.join(webTests, folder)).flatMap((name) =>
      variantsOf(readFileSync(path.join(webTests, folder, name), 'utf8')).map((query) => ({
        file: `${url}/${name}`,
        query,
      })),
    ),
  );
  if (found.length === 0)
    throw new Error(`${webTests}: no test in ${FOLDERS.map(([folder]) => folder).join(' or ')}`);
  return found;
}

const testsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html') && !name.startsWith('resources'))
    .sort();

/** The queries of a file's variants, as its `meta` elements list them. */
function variantsOf(html: string): readonly string[] {
  const found = [...html.matchAll(/<meta name="?variant"? content=(["'])(.*?)\1>/g)].map(
    ([, , query]) => query ?? '',
  );
  return found.length === 0 ? [''] : found;
}
