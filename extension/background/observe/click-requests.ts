import { sleep } from '../state/sleep';

/** In ms: how long a trigger waits for the source of the preceding click. */
const MAX_DEFERRAL = 5000;

/** The requests that Cointoss makes for clicks, until each is answered. */
export class ClickRequests {
  /** With the tab of the click. */
  private readonly unanswered = new Map<Promise<unknown>, number>();

  /** @param answer resolves once the browser has reported the end of the request */
  add(answer: Promise<unknown>, tabId: number): void {
    this.unanswered.set(answer, tabId);
    void answer.then(() => this.unanswered.delete(answer));
  }

  /**
   * Resolves when the requests of clicks in these tabs are answered, or after a timeout. A trigger on the page that a click leads to must
   * find the source (ARA, "maybe defer and then complete trigger attribution").
   */
  async settled(tabs: readonly number[]): Promise<void> {
    const unanswered = (): readonly Promise<unknown>[] =>
      [...this.unanswered].flatMap(([answer, tabId]) => (tabs.includes(tabId) ? [answer] : []));
    const answered = async (): Promise<void> => {
      // A redirect makes one more request.
      while (unanswered().length > 0) await Promise.all(unanswered());
    };
    await Promise.race([answered(), sleep(MAX_DEFERRAL)]);
  }
}
