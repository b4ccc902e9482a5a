import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../node/root';

const folder = path.join(root, 'dist/dashboard');

export const asset = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

export const icon = `data:image/svg+xml;base64,${readFileSync(path.join(folder, 'icon.svg')).toString('base64')}`;

/** The class of all charts. Observable Plot would otherwise generate one for the style of each chart. */
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

/** Only the collector's own files and the charts' style may run or load; the page may only request its own origin. */
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
