/** Like zlib's errors, it has a code, by which readers recognise it. */
export class PackingError extends Error {
  readonly code = 'packing';
}
