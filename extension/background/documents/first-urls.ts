import { FairShare } from '../state/fair-share';
import type { Level } from './known-document';
import type { SessionEntry, SessionKey, SessionMemory } from './session-memory';

/** The most frames that are remembered, divided among the tabs. */
const MOST = 5000;

/** A frame from when it is to show something for the first time. */
interface BegunFrame {
  readonly key: SessionKey;
  readonly parentId: string;
  readonly url: string;
}

/**
 * The URL that each frame was first to show, before redirects. Chrome's content scripts know a frame by nothing else: later URLs may be the
 * frame's own choice. The browser never uses a frame's id again.
 */
export class FirstUrls {
  private readonly frames = new Map<number, BegunFrame>();
  private readonly share = new FairShare(MOST);
  private readonly rooms = new Map<number, () => void>();

  constructor(private readonly memory: SessionMemory) {}

  of(frameId: number): string | null {
    return this.frames.get(frameId)?.url ?? null;
  }

  /** The document around a frame; undefined if the background did not hear of it. */
  parentOf(frameId: number): string | undefined {
    return this.frames.get(frameId)?.parentId;
  }

  /** @returns false if there is no room for it */
  add(tabId: number, frameId: number, parentId: string, of: Level, url: string): boolean {
    const frame = { key: { kind: 'frame', of, tabId, id: String(frameId) }, parentId, url } as const;
    return this.put(frameId, frame) && this.memory.set({ ...frame.key, value: { parentId, url } });
  }

  /** Has all stored again. @returns the documents around those for which there is no room */
  storeAll(): readonly string[] {
    return [...this.frames.values()].flatMap(({ key, parentId, url }) =>
      this.memory.set({ ...key, value: { parentId, url } }) ? [] : [parentId],
    );
  }

  /** Forgets the frames of a tab whose document around is not known any more. */
  forget(tabId: number, isKnown: (parentId: string) => boolean): void {
    for (const [frameId, { key, parentId }] of this.frames)
      if (key.tabId === tabId && !isKnown(parentId)) this.delete(frameId, key);
  }

  clear(): void {
    for (const [frameId, { key }] of this.frames) this.delete(frameId, key);
  }

  /** @param stored all that the browser's session storage holds */
  load(stored: readonly SessionEntry[]): void {
    for (const { value, ...key } of stored)
      if (key.kind === 'frame')
        this.put(Number(key.id), { key, ...(value as Pick<BegunFrame, 'parentId' | 'url'>) });
  }

  private put(frameId: number, frame: BegunFrame): boolean {
    const leave = this.share.acquire(1, String(frame.key.tabId));
    if (leave === null) return false;
    this.rooms.set(frameId, leave);
    this.frames.set(frameId, frame);
    return true;
  }

  private delete(frameId: number, key: SessionKey): void {
    this.frames.delete(frameId);
    this.rooms.get(frameId)?.();
    this.rooms.delete(frameId);
    this.memory.remove([key]);
  }
}
