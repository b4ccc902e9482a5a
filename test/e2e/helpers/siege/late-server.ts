import { setTimeout as sleep } from 'node:timers/promises';
import { LocalServer } from '../local-server';
import { trigger } from '../registrations';

/** Answers with a conversion, after as many seconds as the path says: `/7` after seven. */
export class LateServer extends LocalServer {
  static start(): Promise<LateServer> {
    const late = new LateServer('late');
    return late.listen((request, response) => {
      const [seconds = '0'] = /\d+/.exec(request.url ?? '') ?? [];
      void sleep(Number(seconds) * 1000, undefined, { ref: false }).then(() =>
        response.writeHead(200, { 'Access-Control-Allow-Origin': '*', ...trigger(0) }).end(),
      );
    });
  }
}
