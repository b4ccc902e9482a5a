import type { RegistrationHeaders } from '../../../recording/requests';

/** The most navigations that are remembered. */
const MOST = 1000;

interface Answers {
  hasSource: boolean;
  isOver: boolean;
  /** Takes whether no answer had a source header, once that is known. */
  onKnown?: (lacksSource: boolean) => void;
}

/** Whether an answer to a navigation had a source header. The browser may report the answers before the click is known, or after it. */
export class NavigationAnswers {
  /** By the browser's id of the request, the oldest first. */
  private readonly known = new Map<string, Answers>();

  answered(requestId: string, headers: RegistrationHeaders | null, isLast: boolean): void {
    const answers = this.of(requestId);
    // A misspelt header has a log entry of its own.
    if (headers !== null && (headers.source !== null || headers.osSource || headers.unknown !== undefined))
      answers.hasSource = true;
    if (isLast) answers.isOver = true;
    this.check(answers);
  }

  /** Records that the navigation failed. Before its last answer, nobody knows what that would have been; after it, only the page is missing. */
  failed(requestId: string): void {
    if (this.known.get(requestId)?.isOver !== true) this.forget(requestId);
  }

  /** Resolves after the last answer, to whether Cointoss saw none with a source header. */
  async lacksSource(requestId: string): Promise<boolean> {
    const answers = this.of(requestId);
    return new Promise((resolve) => {
      answers.onKnown = resolve;
      this.check(answers);
    });
  }

  private check({ hasSource, isOver, onKnown }: Answers): void {
    if (hasSource) onKnown?.(false);
    else if (isOver) onKnown?.(true);
  }

  private forget(requestId: string): void {
    this.known.get(requestId)?.onKnown?.(false);
    this.known.delete(requestId);
  }

  private of(requestId: string): Answers {
    const answers = this.known.get(requestId) ?? { hasSource: false, isOver: false };
    this.known.set(requestId, answers);
    const [oldest = ''] = this.known.keys();
    if (this.known.size > MOST) this.forget(oldest);
    return answers;
  }
}
