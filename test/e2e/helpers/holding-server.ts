import { LocalServer } from './local-server';

export interface HeldRequest {
  readonly path: string;
  readonly body: string;
  /** Whether the client disconnected before the answer. */
  wasGivenUp: boolean;
}

/** Holds all requests until told to answer. */
export class HoldingServer extends LocalServer {
  /** All requests, answered or not. */
  readonly requests: HeldRequest[] = [];
  #answer = (): void => undefined;
  readonly #answering = new Promise<void>((resolve) => (this.#answer = resolve));

  /** @param headers and status of its answers */
  static start(headers: Readonly<Record<string, string>> = {}, status = 200): Promise<HoldingServer> {
    const held = new HoldingServer('holding');
    return held.listen((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) body += chunk;
        const noted: HeldRequest = { path: request.url ?? '', body, wasGivenUp: false };
        held.requests.push(noted);
        response.on('close', () => (noted.wasGivenUp = !response.writableEnded));
        await held.#answering;
        response.writeHead(status, headers).end();
      })();
    });
  }

  /** Answers the held requests, and all later ones at once. */
  answer(): void {
    this.#answer();
  }
}
