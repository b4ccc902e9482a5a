import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalServer } from './local-server';

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** In ms: how long it takes. Default: 0. */
  readonly after?: number;
}

interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** Answers each request as a test says, whatever its method. */
export class ScriptedServer extends LocalServer {
  readonly received: ScriptedRequest[] = [];

  static start(
    name: string,
    answer: (path: string, request: ScriptedRequest) => ScriptedAnswer,
  ): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(name);
    return scripted.listen(({ method = '', url: path = '', headers }, response) => {
      const request = { method, path, headers };
      scripted.received.push(request);
      const { status = 200, headers: own = {}, body, after = 0 } = answer(path, request);
      const send = (): void => void response.writeHead(status, own).end(body);
      if (after === 0) send();
      else void sleep(after, undefined, { ref: false }).then(send);
    });
  }
}
