/** In bytes: more than most answers that nobody reads have. A connection whose answer was read can be used again. */
const UNREAD = 65_536;
/** In ms: for how long the rest of an answer is read. */
const READ_TIMEOUT = 1000;

/** The body as text; null if it has more bytes than that, for a server could send it without end. */
export async function textWithin(response: Response, bytes: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    length += read.value.length;
    if (length > bytes) {
      await reader?.cancel();
      return null;
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}

/** Ends an answer whose body nobody reads, so that its server cannot go on sending. */
export async function endAnswer(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const end = (): Promise<void> => reader.cancel().catch(() => undefined);
  const timer = setTimeout(() => void end(), READ_TIMEOUT);
  try {
    let length = 0;
    for (let read = await reader.read(); !read.done && length <= UNREAD; read = await reader.read())
      length += read.value.length;
  } catch {
    // The server has ended it.
  } finally {
    clearTimeout(timer);
    await end();
  }
}
