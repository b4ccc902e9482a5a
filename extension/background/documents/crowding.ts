import type { KnownDocument } from './known-document';

/**
 * The frame to forget where there are too many: the oldest in the largest part of a page. Each frame that the page itself has is a part, with
 * all that it ever showed and all frames within, so that an advertisement crowds out no other.
 * @param frames a document after the one around it
 */
export function toForget(frames: readonly KnownDocument[]): KnownDocument | undefined {
  const partOf = new Map<string, number>();
  const parts = new Map<number, KnownDocument[]>();
  for (const frame of frames) {
    const part = partOf.get(frame.parentId ?? '') ?? frame.frameId;
    partOf.set(frame.id, part);
    const others = parts.get(part);
    if (others === undefined) parts.set(part, [frame]);
    else others.push(frame);
  }
  const largest = [...parts.values()].reduce((most, part) => (part.length > most.length ? part : most), []);
  return largest[0];
}
