import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(__dirname, '../../../..');

/** Names of functions by file, from the root of the repository. */
export type Functions = Readonly<Record<string, readonly string[]>>;

/** Where the text of a function is in its script. */
interface Named {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Counts which functions run. V8 then knows those of modules that are loaded later. */
export class Reached {
  private readonly session = new Session();
  /** Those that ever ran, by script. */
  private readonly known = new Map<string, Named[]>();

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Debugger.enable');
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Those that have run since the last time. */
  async take(): Promise<Functions> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    const found: Record<string, readonly string[]> = {};
    for (const { url, functions, scriptId } of result) {
      const file = url.startsWith('file:') ? path.relative(ROOT, fileURLToPath(url)) : url;
      if (!path.isAbsolute(url) && !url.startsWith('file:')) continue;
      const name = path.relative(ROOT, path.resolve(ROOT, file));
      if (name.startsWith('..') || name.startsWith('node_modules')) continue;
      const { scriptSource } = await this.session.post('Debugger.getScriptSource', { scriptId });
      const known = this.known.get(scriptId) ?? [];
      this.known.set(scriptId, known);
      const names = functions.flatMap(({ functionName, ranges: [range] }) => {
        if (range === undefined || range.count === 0) return [];
        const { startOffset: start, endOffset: end } = range;
        const own = functionName || nameAfter(scriptSource, end);
        if (own !== '') known.push({ name: own, start, end });
        return [own || nameAround(known, start, end)];
      });
      found[name] = [...new Set(names)];
    }
    return found;
  }
}

/** The compiler writes the name of a function that is given to a constant after it, and V8 does not know it. */
const nameAfter = (text: string, end: number): string =>
  /^,\s*"([^"]+)"\)/.exec(text.slice(end, end + 100))?.[1] ?? '';

/** What has no name belongs to the function around it, as in `functionsIn`. That one has run, maybe before the last time. */
const nameAround = (known: readonly Named[], start: number, end: number): string =>
  known
    .filter((one) => one.start <= start && end <= one.end)
    .reduce((inner, one) => (one.end - one.start < inner.end - inner.start ? one : inner), {
      name: '',
      start: 0,
      end: Infinity,
    }).name;
