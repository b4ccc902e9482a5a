import type { ServerResponse } from 'node:http';
import { LocalServer } from './local-server';

const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Answers each request at once, but sends the picture only at `finish`. Its first bytes tell Chrome's pages which URL it has. */
export class UnfinishedPictures extends LocalServer {
  /** Those that were asked for. */
  readonly paths: string[] = [];
  readonly #unfinished: ServerResponse[] = [];

  /** @param headersOf those of the answer to a path */
  static start(headersOf: (path: string) => Readonly<Record<string, string>>): Promise<UnfinishedPictures> {
    const pictures = new UnfinishedPictures('pictures');
    return pictures.listen(({ url = '' }, response) => {
      pictures.paths.push(url);
      response.writeHead(200, { 'Content-Type': 'image/gif', ...headersOf(url) });
      response.flushHeaders();
      pictures.#unfinished.push(response);
    });
  }

  /** Sends the pictures that were asked for so far. */
  finish(): void {
    for (const response of this.#unfinished.splice(0)) response.end(PICTURE);
  }
}
