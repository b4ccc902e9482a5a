import { LocalServer } from './local-server';

/** Answers each request at once, with a picture that does not end until the client disconnects. */
export class UnfinishedPictures extends LocalServer {
  /** Those that were asked for. */
  readonly paths: string[] = [];

  /** @param headersOf those of the answer to a path */
  static start(headersOf: (path: string) => Readonly<Record<string, string>>): Promise<UnfinishedPictures> {
    const pictures = new UnfinishedPictures('pictures');
    return pictures.listen(({ url = '' }, response) => {
      pictures.paths.push(url);
      response.writeHead(200, { 'Content-Type': 'image/gif', ...headersOf(url) });
      response.write('GIF89a');
    });
  }
}
