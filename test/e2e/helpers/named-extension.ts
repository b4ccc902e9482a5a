import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { root } from '../../../node/root';
import { functionAround } from '../../unit/helpers/costs/functions';

/** What runs in pages, by the file that a browser loads. */
const SCRIPTS: Readonly<Record<string, string>> = {
  content: 'extension/content/content.ts',
  'ineligible-clicks': 'extension/content/ineligible-clicks.ts',
  'lift-ads': 'extension/content/lift-ads.ts',
  page: 'extension/content/page.ts',
  rules: 'extension/content/rules.ts',
  'rule-tester': 'extension/content/rule-tester.ts',
  w3c: 'extension/content/w3c.ts',
  'w3c-page': 'extension/content/w3c-page.ts',
  'pages/consent': 'extension/pages/consent.tsx',
  'pages/popup': 'extension/pages/popup.tsx',
  'pages/internals': 'extension/pages/internals.tsx',
  'pages/options': 'extension/pages/options.tsx',
  'pages/devtools': 'extension/pages/devtools.ts',
  'pages/simulation': 'extension/pages/simulate/worker.ts',
};

/** `FILE: NAME` of the function at a place in a script, in UTF-16 code units from its start. */
export type NameOf = (script: string, offset: number) => string;

/** Chrome's extension, in which each script that runs in a page can be traced to the source. */
export class NamedExtension {
  /** By script: to read a source map and parse what it names takes longer than most of what is measured. */
  readonly #namers = new Map<string, Promise<(offset: number) => string>>();

  private constructor(readonly folder: string) {}

  static async build(): Promise<NamedExtension> {
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-named-'));
    await cp(path.join(root, 'dist/chrome'), folder, { recursive: true });
    await build({
      entryPoints: Object.entries(SCRIPTS).map(([out, file]) => ({ out, in: path.join(root, file) })),
      outdir: folder,
      absWorkingDir: root,
      ...{ bundle: true, format: 'iife', target: 'esnext', sourcemap: 'external', logLevel: 'error' },
    });
    return new NamedExtension(folder);
  }

  /** Reads what tells the names in these scripts, by their paths in the extension. */
  async names(scripts: readonly string[]): Promise<NameOf> {
    const known = await Promise.all(
      scripts.map(async (script) => [script, await this.namerOf(script)] as const),
    );
    const by = new Map(known);
    return (script, offset) => by.get(script)?.(offset) ?? '';
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }

  private namerOf(script: string): Promise<(offset: number) => string> {
    const namer = this.#namers.get(script) ?? this.namesIn(script);
    this.#namers.set(script, namer);
    return namer;
  }

  private async namesIn(script: string): Promise<(offset: number) => string> {
    const file = path.join(this.folder, script);
    const text = await readFile(file, 'utf8');
    const map = new SourceMap(JSON.parse(await readFile(`${file}.map`, 'utf8')) as SourceMapPayload);
    const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
    const namers = new Map<string, ReturnType<typeof functionAround>>();
    const names = new Map<number, string>();
    const nameAt = (offset: number): string => {
      const line = starts.findLastIndex((start) => start <= offset);
      const entry = map.findEntry(line, offset - (starts[line] ?? 0));
      if (!('originalSource' in entry)) return '';
      const source = path.relative(root, path.resolve(path.dirname(file), entry.originalSource));
      // Packages bring source maps of their own, to files that are not there.
      if (/(^|\/)node_modules\//.test(source))
        return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
      const namer = namers.get(source) ?? functionAround(source);
      namers.set(source, namer);
      return `${source}: ${namer(entry.originalLine, entry.originalColumn)}`;
    };
    return (offset) => {
      const name = names.get(offset) ?? nameAt(offset);
      names.set(offset, name);
      return name;
    };
  }
}
