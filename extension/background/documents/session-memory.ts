import browser from 'webextension-polyfill';
import { sizeOf } from '../../store/charges';
import { FairShare } from '../state/fair-share';
import type { Level } from './known-document';

/** In bytes: what is kept of all tabs. Browsers keep 10 MB. */
const CAPACITY = 8e6;

/** What is kept of a tab. */
export interface SessionKey {
  readonly kind:
    | 'document'
    | 'header'
    | 'frame'
    | 'beginning'
    | 'lost-beginnings'
    | 'press'
    | 'lack'
    | 'activation'
    | 'request'
    | 'erasures';
  readonly of: Level | 'requests' | 'recent';
  readonly tabId: number;
  readonly id: string;
}

export interface SessionEntry extends SessionKey {
  readonly value: unknown;
}

/**
 * The browser's session storage: it is kept in memory while the background sleeps, and is gone when the browser ends. It is used only
 * while Cointoss may record.
 */
export class SessionMemory {
  /** Null until the stored state is known. */
  private isOn: boolean | null = null;
  private readonly waiting = new Map<string, SessionEntry>();
  private readonly share = new FairShare(CAPACITY);
  /** Gives back the room that a value takes. */
  private readonly rooms = new Map<string, () => void>();
  private readonly onTurnedOn: (() => void)[] = [];
  /** Also stored while it is off. */
  private erasures: SessionEntry | null = null;
  private loading: Promise<readonly SessionEntry[]> | undefined;

  get isOff(): boolean {
    return this.isOn === false;
  }

  /** Resolves to what an earlier run of the background left. It is read once: what is removed since must not take room again. */
  load(): Promise<readonly SessionEntry[]> {
    return (this.loading ??= this.read());
  }

  private async read(): Promise<readonly SessionEntry[]> {
    const stored: Record<string, unknown> = await browser.storage.session.get(null);
    const entries = Object.values(stored) as readonly SessionEntry[];
    for (const entry of entries) this.reserve(entry);
    return entries;
  }

  /** Calls `act` whenever it starts to remember: what was set before may not be stored, although `set` returned true. */
  whenTurnedOn(act: () => void): void {
    this.onTurnedOn.push(act);
  }

  /** @returns false if there is no room: the background forgets this when it sleeps */
  set(entry: SessionEntry): boolean {
    if (entry.kind === 'erasures') this.erasures = entry;
    else if (this.isOn !== true) {
      if (this.isOn === null) this.waiting.set(nameOf(entry), entry);
      return true;
    }
    const hasRoom = this.reserve(entry);
    if (hasRoom) void browser.storage.session.set({ [nameOf(entry)]: entry }).catch(() => undefined);
    else this.remove([entry]);
    return hasRoom;
  }

  remove(keys: readonly SessionKey[]): void {
    const names = keys.map(nameOf);
    for (const name of names) {
      this.waiting.delete(name);
      this.leave(name);
    }
    if (!this.isOff) void browser.storage.session.remove(names);
  }

  /** Starts or stops to remember; off, it forgets all but what was erased. */
  turn(isOn: boolean): void {
    const wasOn = this.isOn === true;
    this.isOn = isOn;
    if (isOn) for (const entry of this.waiting.values()) this.set(entry);
    else {
      void browser.storage.session.clear();
      for (const name of this.rooms.keys()) this.leave(name);
      if (this.erasures !== null) this.set(this.erasures);
    }
    this.waiting.clear();
    if (isOn && !wasOn) for (const act of this.onTurnedOn) act();
  }

  private reserve(entry: SessionEntry): boolean {
    const name = nameOf(entry);
    this.leave(name);
    if (isAlwaysKept(entry)) return true;
    const leave = this.share.acquire(sizeOf(entry) + sizeOf(name), `${entry.of} ${entry.tabId}`);
    if (leave !== null) this.rooms.set(name, leave);
    return leave !== null;
  }

  private leave(name: string): void {
    this.rooms.get(name)?.();
    this.rooms.delete(name);
  }
}

/** What forbids something is needed most where there is no room. The most that there are fit into what is left. */
const isAlwaysKept = ({ kind }: SessionKey): boolean =>
  kind === 'lost-beginnings' || kind === 'press' || kind === 'erasures';

const nameOf = ({ kind, of, tabId, id }: SessionKey): string => `${kind} ${of} ${tabId} ${id}`;
