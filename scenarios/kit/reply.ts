import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

export interface Reply {
  /** Default: 200. */
  readonly status?: number;
  /** Values may be any text, and are sent in UTF-8; a list is sent as several headers of this name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/**
 * Answers with the result of `reply`. If that fails or cannot be sent, answers 500 and logs the reason on standard error: the browser must
 * always get an answer, and one request must not end the process.
 */
export async function answerWith(
  request: IncomingMessage,
  response: ServerResponse,
  reply: () => Promise<Reply | 'cut'>,
): Promise<void> {
  try {
    const answer = await reply();
    if (answer === 'cut') request.socket.destroy();
    else response.writeHead(answer.status ?? 200, inUtf8(answer.headers ?? {})).end(answer.body);
  } catch (error) {
    const { method = '', url = '', headers } = request;
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`cointoss: ${method} ${headers.host ?? ''} ${url}: cannot be answered: ${why}\n`);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
}

/** Node sends one byte per character of a header, and refuses characters beyond one byte. */
const inUtf8 = (headers: NonNullable<Reply['headers']>): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? bytesOf(value) : value.map(bytesOf),
    ]),
  );

const bytesOf = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
