import type { Overview, UndeclaredResponse } from '../../extension/messages';
import type { Settings } from '../../formats/settings/settings';
import { entryText, isFailure, sourceText, undeclaredText, windowText } from './entry-text';
import type { ReportRow, SourceRow, TraceEntry } from './rows';
import type { Traffic } from './traffic';
import { waitFor, type WaitOptions } from './wait';
import { waitingReports } from './waiting-reports';

/** What can be asked of the extension. */
interface Questions {
  overview(): Promise<Overview>;
  /** The newest entries, newest first. */
  log(limit: number): Promise<readonly TraceEntry[]>;
  reports(): Promise<readonly ReportRow[]>;
  settings(): Promise<Settings>;
  undeclared(): Promise<readonly UndeclaredResponse[]>;
  /** Newest first. */
  sources(): Promise<readonly SourceRow[]>;
}

/**
 * How often in a row, and for how many ms at least, the background must answer that nothing has changed. Counted in answers too, because a
 * loaded machine is slow.
 */
const QUIET = { answers: 10, time: 1750 };
const SHOWN = 5;
const MADE_BY_TEST =
  'the test may have made this answer, and browsers show extensions no answer that request.respond() makes; let a server answer, such as serveSites()';
const OWN_REQUEST =
  'Cointoss itself requests the URLs in attributionsrc, and page.setRequestInterception() does not see that: if the test is to answer this URL, let a server answer, such as serveSites()';

interface Seen {
  /** Of the log's newest entry. */
  readonly id: number;
  readonly answers: number;
  /** The ids of the responses that waited for their declaration. */
  readonly undeclared: ReadonlySet<number>;
}

/** Tells whether what a test waits for can still come, and describes what came instead. */
export class WaitDiagnosis {
  #last = '';
  #unchanged = 0;
  /** Since when they have. */
  #since = 0;
  /** What earlier waits have seen. */
  #seen: Seen = { id: 0, answers: 0, undeclared: new Set() };

  constructor(
    private readonly traffic: Pick<Traffic, 'answers' | 'inFlight' | 'isIntercepted' | 'pagesAnswer'>,
    private readonly ask: Questions,
  ) {}

  /** As `waitFor`. Fails at once when nothing more can come, and says what came instead. */
  async waitFor<T>(what: string, probe: () => Promise<T | null>, options?: WaitOptions): Promise<T> {
    const probeOrFail = async (): Promise<T | null> => {
      const found = await probe();
      if (found !== null) return found;
      const obstacle = await this.obstacle();
      if (obstacle !== null) throw new Error(`waiting for ${what} is in vain: ${obstacle}`);
      return null;
    };
    const value = await waitFor(what, probeOrFail, options).catch((error: unknown) => this.explain(error));
    await this.finish();
    return value;
  }

  /** @throws Error always: the error of a wait, and what came instead */
  async explain(error: unknown): Promise<never> {
    const message = error instanceof Error ? error.message : String(error);
    const came = await this.describe().catch(() => 'the extension does not answer');
    await this.finish().catch(() => undefined);
    throw new Error(`${message}\n  ${came}`, { cause: error });
  }

  /**
   * Why nothing more can come; null while something can. Nothing is recorded without consent or in a pause. And nothing comes when a
   * registration or a request has failed since the wait before, or nothing declares a request that needs it, no request is under way, and
   * nothing changes any more.
   */
  private async obstacle(): Promise<string | null> {
    const [overview, log] = await Promise.all([this.ask.overview(), this.ask.log(SHOWN)]);
    const { consentStatus, paused, sources, pendingReports, finishedReports } = overview;
    if (consentStatus !== 'recording') return `the consent status is "${consentStatus}"`;
    if (paused) return 'recording is paused in the settings';
    const answers = this.traffic.answers.length;
    const now = JSON.stringify([log[0]?.id, sources, pendingReports, finishedReports, answers]);
    if (now === this.#last) this.#unchanged += 1;
    else this.startAnew();
    this.#last = now;
    if (!this.isQuiet() || this.traffic.inFlight > 0) return null;
    const failures = log.filter((one) => one.id > this.#seen.id && isFailure(one)).reverse();
    const undeclared = await this.undeclared();
    if (undeclared === null && failures.length === 0) return null;
    const reasons = [...failures.map(entryText), ...(undeclared ?? []).map(undeclaredText)];
    if (reasons.length === 0) return this.unlogged(log[0]?.id ?? 0);
    const isOwn = failures.some((one) => one.kind === 'ignored' && one.reason.code === 'no-registration');
    const remarks = isOwn && this.traffic.isIntercepted ? [OWN_REQUEST] : [];
    // The first may be why the others failed.
    const why = reasons.slice(0, SHOWN).join('; then ');
    return [why, ...remarks, ...(await this.aboutSources(failures))].join('; ');
  }

  /** The responses since the wait before that no document has declared; null while a busy page may still declare some. */
  private async undeclared(): Promise<readonly UndeclaredResponse[] | null> {
    const undeclared = (await this.ask.undeclared()).filter(({ id }) => !this.#seen.undeclared.has(id));
    if (undeclared.length === 0 || (await this.traffic.pagesAnswer())) return undeclared;
    this.startAnew();
    return null;
  }

  private startAnew(): void {
    this.#unchanged = 0;
    this.#since = performance.now();
  }

  private isQuiet(): boolean {
    return this.#unchanged >= QUIET.answers && performance.now() - this.#since >= QUIET.time;
  }

  /** Why an answer since the wait before registers nothing, where the log has nothing of it. @param newest the id of the newest entry */
  private async unlogged(newest: number): Promise<string | null> {
    const answers = this.traffic.answers.slice(this.#seen.answers);
    if (answers.length === 0) return null;
    const { pausedSites } = await this.ask.settings();
    const pages = answers.flatMap(({ page }) => page() ?? []);
    const paused = pausedSites.filter((site) => pages.some((page) => isPageOf(page, site)));
    if (paused.length > 0) return `recording is paused in the settings on ${paused.join(', ')}`;
    const made = answers.findLast(({ mayBeMade }) => mayBeMade);
    // Of a server's answer, the log would have an entry.
    if (made !== undefined && newest <= this.#seen.id) return `${made.text}; ${MADE_BY_TEST}`;
    return answers.findLast(({ failed }) => failed)?.text ?? null;
  }

  /** The newest source that is kept, if a trigger found none; and the report windows that triggers came after. */
  private async aboutSources(failures: readonly TraceEntry[]): Promise<readonly string[]> {
    const triggers = failures.filter((one) => one.kind === 'trigger');
    if (triggers.length === 0) return [];
    const sources = await this.ask.sources();
    const isUnmatched = triggers.some(({ checks }) =>
      checks.some(({ id, passed }) => id === 'matching-source' && !passed),
    );
    const closed = triggers.flatMap((trigger) => {
      const { decision } = trigger;
      const source = sources.find(({ id }) => decision.kind !== 'split' && id === decision.sourceId);
      return (source && windowText(trigger, source)) ?? [];
    });
    return [...sources.slice(0, isUnmatched ? 1 : 0).map(sourceText), ...closed];
  }

  /** Ends a wait: the next one does not fail for what has come until now. */
  private async finish(): Promise<void> {
    const log = await this.ask.log(1);
    const undeclared = new Set((await this.ask.undeclared()).map(({ id }) => id));
    this.#seen = { id: log[0]?.id ?? 0, answers: this.traffic.answers.length, undeclared };
    this.startAnew();
  }

  /** What came, in lines. */
  private async describe(): Promise<string> {
    const { consentStatus, paused } = await this.ask.overview();
    const log = await this.ask.log(SHOWN);
    const answers = this.traffic.answers.slice(this.#seen.answers).slice(-SHOWN);
    const attempts = (await this.ask.reports()).flatMap(({ url, attempts: all }) =>
      all.slice(-1).map(({ outcome }) => `${outcome.to ?? url}: ${outcomeText(outcome)}`),
    );
    return [
      `consent status: ${consentStatus}${paused ? ', paused' : ''}`,
      ...section('newest entries of the log', log.map(entryText)),
      ...section(
        'newest requests of the pages',
        answers.map(({ text }) => text),
      ),
      ...section('last attempts to send reports', attempts.slice(0, SHOWN)),
      (await waitingReports(this.ask)) ?? [],
    ]
      .flat()
      .join('\n  ');
  }
}

/** The list of public suffixes, which a site is computed with, would take half of the kit; a host below a site's is of the site. */
function isPageOf(page: string, site: string): boolean {
  const [{ protocol, hostname }, of] = [new URL(page), new URL(site)];
  return protocol === of.protocol && `.${hostname}`.endsWith(`.${of.hostname}`);
}

const section = (title: string, lines: readonly string[]): readonly string[] => [
  `${title}:${lines.length === 0 ? ' none' : ''}`,
  ...lines.map((line) => `  ${line}`),
];

const outcomeText = (outcome: ReportRow['attempts'][number]['outcome']): string =>
  outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.error;
