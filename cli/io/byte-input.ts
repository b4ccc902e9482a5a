/** Reads the bytes of a packed file as a reader asks for them. */
export class ByteInput {
  /** How many bytes were taken. */
  at = 0;
  private readonly iterator: AsyncIterator<Uint8Array, unknown>;
  private buffer: Uint8Array = new Uint8Array();

  /** @param early the error of a file that ends too early */
  constructor(
    bytes: AsyncIterable<Uint8Array>,
    private readonly early: () => Error,
  ) {
    this.iterator = bytes[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Uint8Array> {
    if ((await this.upTo(length)).length < length) throw this.early();
    const taken = this.buffer.subarray(0, length);
    this.skip(length);
    return taken;
  }

  async byte(): Promise<number> {
    return (await this.take(1))[0] ?? 0;
  }

  async hasMore(): Promise<boolean> {
    return (await this.upTo(1)).length > 0;
  }

  async isZero(): Promise<boolean> {
    return (await this.upTo(1))[0] === 0;
  }

  /** What comes next, without taking it: at least so many bytes if there are. */
  async upTo(length: number): Promise<Uint8Array> {
    const parts = this.buffer.length === 0 ? [] : [this.buffer];
    for (let found = this.buffer.length; found < length;) {
      const next = await this.iterator.next();
      if (next.done === true) break;
      parts.push(next.value);
      found += next.value.length;
    }
    const [first] = parts;
    if (first !== undefined) this.buffer = parts.length === 1 ? first : Buffer.concat(parts);
    return this.buffer;
  }

  skip(length: number): void {
    this.buffer = this.buffer.subarray(length);
    this.at += length;
  }

  /** Lets the file be closed, however reading ended. */
  async close(): Promise<void> {
    await this.iterator.return?.();
  }
}
