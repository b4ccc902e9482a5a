import browser from 'webextension-polyfill';

/**
 * The browser's session storage: it is kept in memory while the background sleeps, and is gone when the browser ends. It is used only
 * while Cointoss may record.
 */
export class SessionMemory {
  /** Null until the stored state is known. */
  private isOn: boolean | null = null;
  private readonly waiting = new Map<string, unknown>();

  get isOff(): boolean {
    return this.isOn === false;
  }

  load(): Promise<Record<string, unknown>> {
    return browser.storage.session.get(null);
  }

  set(key: string, value: unknown): void {
    if (this.isOn === null) this.waiting.set(key, value);
    // Without room, the background may forget this when it sleeps.
    if (this.isOn === true) void browser.storage.session.set({ [key]: value }).catch(() => undefined);
  }

  remove(keys: readonly string[]): void {
    for (const key of keys) this.waiting.delete(key);
    void browser.storage.session.remove([...keys]);
  }

  /** Starts or stops to remember; off, it forgets all. */
  turn(isOn: boolean): void {
    this.isOn = isOn;
    if (isOn) for (const [key, value] of this.waiting) this.set(key, value);
    else void browser.storage.session.clear();
    this.waiting.clear();
  }
}
