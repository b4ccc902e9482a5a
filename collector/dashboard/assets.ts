import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../node/root';

/** Where `scripts/compile.mjs` puts the client. */
const folder = path.join(root, 'dist/dashboard');

/** One of the client's files. */
export const asset = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

export const icon = `data:image/svg+xml;base64,${readFileSync(path.join(folder, 'icon.svg')).toString('base64')}`;

/** The class of all charts, after which Observable Plot names the style that it puts into each. */
const CHART_CLASS = 'plot';

const chartStyle = `:where(.${CHART_CLASS}) {
  --plot-background: white;
  display: block;
  height: auto;
  height: intrinsic;
  max-width: 100%;
}
:where(.${CHART_CLASS} text),
:where(.${CHART_CLASS} tspan) {
  white-space: pre;
}`;

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing runs or loads but the collector's own files and the style of the charts; the page asks only its own origin. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${sha256(chartStyle)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
