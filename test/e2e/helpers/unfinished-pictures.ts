import type { ServerResponse } from 'node:http';
import { LocalServer } from './local-server';

const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const HALF = PICTURE.length / 2;

/** Answers each request at once, but the picture comes later. Its first bytes tell Chrome's pages which URL it has. */
export class UnfinishedPictures extends LocalServer {
  /** Those that were asked for. */
  readonly paths: string[] = [];
  readonly #asked: ServerResponse[] = [];
  readonly #begun: ServerResponse[] = [];

  /** @param headersOf those of the answer to a path */
  static start(headersOf: (path: string) => Readonly<Record<string, string>>): Promise<UnfinishedPictures> {
    const pictures = new UnfinishedPictures('pictures');
    return pictures.listen(({ url = '' }, response) => {
      pictures.paths.push(url);
      response.writeHead(200, { 'Content-Type': 'image/gif', ...headersOf(url) });
      response.flushHeaders();
      pictures.#asked.push(response);
    });
  }

  /** Sends the first half of the pictures that were asked for so far. */
  begin(): void {
    for (const response of this.#asked) response.write(PICTURE.subarray(0, HALF));
    this.#begun.push(...this.#asked.splice(0));
  }

  /** Sends the pictures that were asked for so far. */
  finish(): void {
    this.begin();
    for (const response of this.#begun.splice(0)) response.end(PICTURE.subarray(HALF));
  }
}
