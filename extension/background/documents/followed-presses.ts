import type { SessionEntry, SessionKey, SessionMemory } from './session-memory';

/** Which presses of a person a navigation has followed, also before the background slept: the next navigation of such a press counts not. */
export class FollowedPresses {
  /** By name; null until what an earlier run left is known. */
  private followed: Set<string> | null = null;
  /** Never rejects. If the storage cannot be read, no press of this run is known not to be followed. */
  readonly loaded: Promise<void>;

  /** @param forgottenAfter in ms: how long after its press the browser may report a navigation */
  constructor(
    private readonly memory: SessionMemory,
    private readonly forgottenAfter: number,
  ) {
    this.loaded = memory.load().then(
      (entries) => this.load(entries),
      () => undefined,
    );
  }

  state({ documentId, press }: Press): 'unknown' | 'followed' | 'not-followed' {
    if (this.followed === null) return 'unknown';
    return this.followed.has(nameOf({ documentId, press })) ? 'followed' : 'not-followed';
  }

  add({ documentId, press, tabId }: Press & { readonly tabId: number }): void {
    const key: SessionKey = { kind: 'press', of: 'requests', tabId, id: nameOf({ documentId, press }) };
    this.memory.set({ ...key, value: null });
    this.keep(key);
  }

  private load(entries: readonly SessionEntry[]): void {
    this.followed = new Set();
    for (const entry of entries) if (entry.kind === 'press') this.keep(entry);
  }

  private keep(key: SessionKey): void {
    this.followed?.add(key.id);
    setTimeout(() => {
      this.followed?.delete(key.id);
      this.memory.remove([key]);
    }, this.forgottenAfter);
  }
}

/** A press of a person, by its number among those in its document. */
export interface Press {
  readonly documentId: string;
  readonly press: number;
}

const nameOf = ({ documentId, press }: Press): string => `${documentId} ${press}`;
