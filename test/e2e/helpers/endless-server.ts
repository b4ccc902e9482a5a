import { LocalServer } from './local-server';

const CHUNK = Buffer.alloc(65_536, ' ');

interface EndlessAnswer {
  readonly path: string;
  /** In bytes, as far as the client took them. */
  sent: number;
  isOver: boolean;
}

/** Answers each request at once, with bytes that do not end until the client disconnects. */
export class EndlessServer extends LocalServer {
  readonly answers: EndlessAnswer[] = [];

  static start(
    statusOf: (path: string) => number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EndlessServer> {
    const endless = new EndlessServer('endless');
    return endless.listen((request, response) => {
      const answer: EndlessAnswer = { path: request.url ?? '', sent: 0, isOver: false };
      endless.answers.push(answer);
      response.on('close', () => (answer.isOver = true));
      response.on('error', () => undefined);
      request.resume();
      const send = (): void => {
        if (answer.isOver) return;
        answer.sent += CHUNK.length;
        response.write(CHUNK, () => setImmediate(send));
      };
      response.writeHead(statusOf(answer.path), headers);
      send();
    });
  }
}
