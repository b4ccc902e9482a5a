import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What npm asks of a registry of packages to look for a version and to publish it, on loopback and in memory. */
export class Registry {
  /** Names whose publication is refused. */
  readonly refused = new Set<string>();
  private readonly packages = new Map<string, { versions: object }>();
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** `127.0.0.1:PORT/` */
  get place(): string {
    const { port } = this.server.address() as AddressInfo; // it listens on a port
    return `127.0.0.1:${port}/`;
  }

  /** NAME@VERSION of all that was published, in that order. */
  get published(): readonly string[] {
    return [...this.packages].flatMap(([name, { versions }]) =>
      Object.keys(versions).map((version) => `${name}@${version}`),
    );
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = decodeURIComponent(request.url?.slice(1) ?? '');
    const found = this.packages.get(name);
    if (request.method === 'GET') send(response, found === undefined ? 404 : 200, found ?? {});
    else if (this.refused.has(name) || found !== undefined) send(response, 403, {});
    else {
      this.packages.set(name, (await json(request)) as { versions: object });
      send(response, 201, {});
    }
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
