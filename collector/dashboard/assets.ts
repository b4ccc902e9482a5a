import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the dashboard consists of, by file name. */
export type Assets = Readonly<Record<'dashboard.js' | 'dashboard.css', string>>;

export const icon = `data:image/svg+xml;base64,${readFileSync(join(__dirname, 'icon.svg')).toString('base64')}`;

let bundled: Promise<Assets> | null = null;

/** The client's script and style, bundled when they are first asked for: a collector runs from a clone without a build. */
export const assets = (): Promise<Assets> => (bundled ??= bundle());

async function bundle(): Promise<Assets> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ['main.tsx', 'dashboard.css'].map((name) => join(__dirname, 'client', name)),
    outdir: __dirname, // names the files, which are not written
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { 'dashboard.js': textOf('.js'), 'dashboard.css': textOf('.css') };
}

/** The class of all charts, after which Observable Plot names the style that it puts into each. */
export const CHART_CLASS = 'plot';

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
