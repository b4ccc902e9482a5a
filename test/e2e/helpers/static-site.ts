import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** Serves a folder below a path, as any web server would. */
export class StaticSite {
  /** What was answered, in order, below the path. */
  readonly #answered: string[] = [];
  readonly #held = new Map<string, (() => void)[]>();

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
    readonly address: string,
  ) {}

  /** @param below begins and ends with a slash */
  static async serve(folder: string, below: string): Promise<StaticSite> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const site = new StaticSite(folder, server, `http://localhost:${port}${below}`);
    server.on('request', ({ url = '' }, response) => {
      const name = url.startsWith(below) ? url.slice(below.length) : `not below the path: ${url}`;
      const file = path.join(folder, name === '' ? 'index.html' : name);
      const answer = (): void => {
        site.#answered.push(name);
        if (!existsSync(file)) return void response.writeHead(404).end();
        response.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? '' }).end(readFileSync(file));
      };
      const held = site.#held.get(name);
      if (held === undefined) answer();
      else held.push(answer);
    });
    return site;
  }

  /** Answers requests for a file only once the returned function is called. */
  hold(name: string): () => void {
    const answers: (() => void)[] = [];
    this.#held.set(name, answers);
    return () => {
      this.#held.delete(name);
      for (const answer of answers) answer();
    };
  }

  /** In bytes, compressed: everything that was answered so far. */
  compressed(): number {
    const files = new Set(this.#answered.map((name) => (name === '' ? 'index.html' : name)));
    return [...files]
      .map((name) => gzipSync(readFileSync(path.join(this.folder, name))).length)
      .reduce((sum, length) => sum + length, 0);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
