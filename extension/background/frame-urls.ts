import { FairShare } from './fair-share';

/** The most frames that are remembered. */
const MOST = 5000;
/** The most URLs that are remembered of a frame. */
const MOST_URLS = 10;

/**
 * The first URLs that each frame was to show, from its `src` before redirects on: the `allow` attribute of its element goes with them. The
 * browser never uses a frame's id again. Frames that come when their tab has too many are not remembered: a frame with many frames must not
 * make the background forget its own URLs.
 */
export class FrameUrls {
  private readonly frames = new Map<number, { readonly tabId: number; readonly urls: readonly string[] }>();
  private readonly share = new FairShare(MOST);
  private readonly rooms = new Map<number, () => void>();

  of(frameId: number): readonly string[] {
    return this.frames.get(frameId)?.urls ?? [];
  }

  /** @returns the URLs with those added, also if there is no room for them */
  add(tabId: number, frameId: number, added: readonly string[]): readonly string[] {
    const urls = [...new Set([...this.of(frameId), ...added])].slice(0, MOST_URLS);
    if (this.takeRoom(tabId, frameId)) this.frames.set(frameId, { tabId, urls });
    return urls;
  }

  /** Forgets the frames of a tab, but for some. */
  forget(tabId: number, kept: ReadonlySet<number> = new Set()): void {
    for (const [frameId, frame] of this.frames) {
      if (frame.tabId !== tabId || kept.has(frameId)) continue;
      this.frames.delete(frameId);
      this.rooms.get(frameId)?.();
      this.rooms.delete(frameId);
    }
  }

  clear(): void {
    for (const { tabId } of [...this.frames.values()]) this.forget(tabId);
  }

  private takeRoom(tabId: number, frameId: number): boolean {
    if (this.rooms.has(frameId)) return true;
    const leave = this.share.take(1, String(tabId));
    if (leave !== null) this.rooms.set(frameId, leave);
    return leave !== null;
  }
}
