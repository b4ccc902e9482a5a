import browser, { type Scripting } from 'webextension-polyfill';

type Script = Pick<Scripting.RegisteredContentScript, 'id' | 'js' | 'world'>;

/** Scripts of all pages that only some settings need. A page that does not need them pays nothing. */
export class OptionalScripts {
  private changing: Promise<void> = Promise.resolve();

  constructor(private readonly scripts: readonly Script[]) {}

  /** Puts the scripts into pages that are opened from now on, or does so no more. */
  turn(isOn: boolean): Promise<void> {
    // In order. Scripts that the browser rejects must not stop the rest of Cointoss.
    this.changing = this.changing
      .then(() => this.inject(isOn))
      .catch((error: unknown) => console.error('Cointoss could not change the scripts of pages', error));
    return this.changing;
  }

  private async inject(isOn: boolean): Promise<void> {
    const ids = this.scripts.map(({ id }) => id);
    const registered = await browser.scripting.getRegisteredContentScripts({ ids });
    if (registered.length > 0 === isOn) return;
    if (!isOn) return browser.scripting.unregisterContentScripts({ ids });
    await browser.scripting.registerContentScripts(
      this.scripts.map((script) => ({
        ...script,
        matches: ['http://*/*', 'https://*/*'],
        runAt: 'document_start' as const,
        allFrames: true,
        matchOriginAsFallback: true,
        persistAcrossSessions: false,
      })),
    );
  }
}
