import type { ClickLack } from '../../../formats/codec/mistakes';
import { DECLARATION_TIME, RESPONSE_TIME } from '../../../recording/requests';
import type { Origin } from '../../../src/model/units';
import type { SessionEntry, SessionKey, SessionMemory } from './session-memory';

/** In ms: how long the log may still ask what a navigation's click lacked. */
const ASKED_WITHIN = RESPONSE_TIME + DECLARATION_TIME;
/** The most navigations whose click lacked something that are remembered. */
const MOST = 1000;

/** Where a click, or a call of `window.open`, leads. */
export interface Lead {
  readonly url: string;
  readonly tabId: number;
  /** The page with the click. */
  readonly pageId: string;
  /** Of the document with the click; null if it is opaque. */
  readonly documentOrigin: Origin | null;
  /** Whether it only opened the menu of a link, which leads somewhere in another tab if at all. */
  readonly inMenu: boolean;
  /** In ms since 1970, by the device's clock. */
  readonly time: number;
}

/** A click from which no source can be made. */
export interface IneligibleClick extends Lead {
  readonly lack: ClickLack;
}

/** What the clicks of navigations lacked to make a source, for the log alone. Of a navigation, only the browser's id is remembered. */
export class IneligibleClicks {
  /** By the request of the navigation. */
  private readonly lacks = new Map<string, { readonly lack: ClickLack; readonly forget: () => void }>();

  constructor(private readonly memory: SessionMemory) {
    memory.load().then(
      (entries) => this.load(entries),
      () => undefined,
    );
  }

  /** Records that a navigation followed a click. @returns false if another click was reported first, which counts */
  followed({ lack, tabId }: IneligibleClick, requestId: string): boolean {
    if (this.lacks.has(requestId)) return false;
    const key: SessionKey = { kind: 'lack', of: 'requests', tabId, id: requestId };
    this.memory.set({ ...key, value: lack });
    this.keep(key, lack);
    return true;
  }

  /** What the click of a navigation lacked, if it made no source. */
  of(requestId: string): ClickLack {
    return this.lacks.get(requestId)?.lack ?? 'press';
  }

  private load(entries: readonly SessionEntry[]): void {
    for (const entry of entries) if (entry.kind === 'lack') this.keep(entry, entry.value as ClickLack);
  }

  private keep(key: SessionKey, lack: ClickLack): void {
    const forget = (): void => {
      clearTimeout(end);
      this.lacks.delete(key.id);
      this.memory.remove([key]);
    };
    const end = setTimeout(forget, ASKED_WITHIN);
    this.lacks.set(key.id, { lack, forget });
    const [oldest] = this.lacks.values();
    if (this.lacks.size > MOST) oldest?.forget();
  }
}
