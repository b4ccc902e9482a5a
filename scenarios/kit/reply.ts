import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

export interface Reply {
  /** 200 unless given. */
  readonly status?: number;
  /** Text of any kind; it is sent in UTF-8. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Answers a request with what `reply` resolves to. Where that fails, or cannot be sent, the answer is 500, and standard error
 * says why: a browser must not wait for an answer that never comes, nor a single request end the process.
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

/** Node sends each character of a header as one byte, and refuses those that have none. */
const inUtf8 = (headers: Readonly<Record<string, string>>): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
  );
