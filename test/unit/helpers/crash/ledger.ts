import { addSource } from '../../../../src/attribution/remove-sources';
import { siteOf } from '../../../../src/model/site';
import { addReport } from '../../../../src/reports/pending';
import { BufferedDraft } from '../../../../src/store/draft';
import type { FinishedReport, Report, Source } from '../../../../src/model/records';
import { budgetKey, type Spend } from '../../../../src/model/spend';
import type { BudgetSettings } from '../../../../src/model/mechanisms';
import { decisionsOf } from '../../../../src/model/decision';
import { accountsOf } from '../../../../src/limits/privacy-budget';
import { chromiumLimits } from '../../../../src/model/limits';
import { reportIdOf } from '../../../../formats/reports/event-level-report';
import type { Contents } from './disk';
import type { Network } from './network';

type Erasure = 'part' | 'all';

const WITHDRAWN: readonly string[] = ['replaced', 'source-removed'];

/** Remembers what was seen on the disk, and says what must not have happened to it. */
export class Ledger {
  private readonly reports = new Map<number, string>();
  private readonly ends = new Map<number, FinishedReport['end']>();
  private readonly noise = new Map<number, string>();
  /** Sources with a mechanism that draws at the end of the window, and makes reports of its own. Some come and go between two looks. */
  private readonly drawnLate = new Set<number>();
  private readonly spends = new Map<number, Spend>();
  private readonly waiting = new Set<string>();
  /** What was erased, or would have been, since the last look. */
  private erasing: Erasure | null = null;
  /** Whether anything was ever erased in part; then rows may refer to rows that are gone. */
  private wasErasedInPart = false;
  /** The registrations and reports that were there when something was erased. */
  private readonly erasable = new Set<string | number>();
  private wrong: string[] = [];

  constructor(
    private readonly network: Network,
    private readonly budget: BudgetSettings,
  ) {}

  /** Called before anything is erased. */
  erases(what: Erasure): void {
    if (this.erasing !== 'all') this.erasing = what;
    if (what === 'part') this.wasErasedInPart = true;
    for (const id of [...this.reports.keys(), ...this.waiting]) this.erasable.add(id);
  }

  /** Everything that is wrong with what is on the disk now. */
  check(disk: Contents, now: number): readonly string[] {
    this.wrong = [...this.network.wrong.splice(0)];
    this.checkReports(disk);
    this.checkNoise(disk);
    this.checkBudget(disk, now);
    this.checkRegistrations(disk);
    if (!this.wasErasedInPart) {
      this.checkLimits(disk, now);
      this.checkLog(disk);
    }
    this.erasing = null;
    return this.wrong;
  }

  /** At the end, when all windows are closed and every server has answered. */
  checkEnd(disk: Contents): readonly string[] {
    this.wrong = [];
    for (const { id } of disk.reports) this.say(`report ${id} still waits`);
    for (const { id } of disk.undrawn) this.say(`the output of source ${id} was never drawn`);
    for (const { id } of disk.waiting) this.say(`response ${id} was never registered`);
    const logged = new Set(disk.log.map(({ header }) => header));
    for (const header of this.waiting)
      if (!logged.has(header) && !this.erasable.has(header)) this.say(`lost: ${header}`);
    return this.wrong;
  }

  private say(what: string): void {
    this.wrong.push(what);
  }

  private checkReports({ reports, finished }: Contents): void {
    const present = new Map<number, Report>(reports.map((report) => [report.id, report]));
    for (const { id, report, end } of finished) {
      if (present.has(id)) this.say(`report ${id} waits, and is ${end}`);
      present.set(id, report);
      const before = this.ends.get(id);
      if (before !== undefined && before !== end) this.say(`report ${id} was ${before}, and is ${end}`);
      this.ends.set(id, end);
      if (end === 'delivered') this.requireTaken(report);
    }
    for (const { id } of reports) {
      const end = this.ends.get(id);
      if (end !== undefined) this.say(`report ${id} was ${end}, and waits again`);
    }
    const wasErased = [...this.reports.keys()].every((id) => !present.has(id));
    for (const [id, body] of this.reports) {
      const report = present.get(id);
      if (report === undefined) {
        if (!this.erasable.has(id)) this.say(`report ${id} is gone: ${body}`);
        else if (this.erasing === 'all' && !wasErased && !this.wasErasedInPart)
          this.say(`only a part of everything was erased: report ${id}`);
      } else if (JSON.stringify(report.body) !== body && report.event?.bucket == null)
        this.say(`report ${id} was ${body}, and is ${JSON.stringify(report.body)}`);
    }
    for (const [id, { body }] of present) this.reports.set(id, JSON.stringify(body));
    // Rows that were erased for good are no longer expected.
    for (const id of this.reports.keys()) if (!present.has(id)) this.reports.delete(id);
  }

  private requireTaken({ id, kind, url, body }: Report): void {
    if (kind === 'verbose-debug') return;
    if (!this.network.taken.has(`${url} ${reportIdOf(body)}`))
      this.say(`report ${id} counts as delivered, and no server has it`);
  }

  private checkNoise({ sources, undrawn, reports, finished }: Contents): void {
    const waiting = new Set(undrawn.map(({ id }) => id));
    const all = [...reports, ...finished.map(({ report }) => report)];
    for (const { id, noise } of sources) {
      const text = JSON.stringify(noise, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      const before = this.noise.get(id);
      const mayChange = before?.includes('"undrawn"') === true && noise.kind === 'drawn';
      if (before !== undefined && before !== text && !mayChange)
        this.say(`the noise of source ${id} was ${before}, and is ${text}`);
      this.noise.set(id, text);
      if ((noise.kind === 'undrawn') !== waiting.has(id))
        this.say(
          `source ${id} is ${noise.kind}, and its output ${waiting.has(id) ? 'waits' : 'does not wait'}`,
        );
      if (noise.kind !== 'replaced' || this.wasErasedInPart) continue;
      const fakes = all.filter(({ event }) => event?.sourceId === id && event.fake).length;
      if (fakes !== noise.reports) this.say(`source ${id} has ${fakes} of its ${noise.reports} fake reports`);
    }
  }

  private checkBudget({ spends, sources }: Contents, now: number): void {
    // Erasing a part takes its names from a spend, and nothing else.
    const namesLost = this.wasErasedInPart ? { of: null, reportingSite: null } : {};
    const textOf = (spend: Spend | undefined): string =>
      JSON.stringify({ ...spend, contextSite: null, ...namesLost });
    const present = new Map(spends.map((spend) => [spend.id, spend]));
    for (const [id, spend] of this.spends) {
      const kept = present.get(id);
      // Mostly the same row as before.
      if (kept === spend || spend.end <= now || this.erasing === 'all') continue;
      if (textOf(kept) !== textOf(spend)) this.say(`spend ${id} was given back: ${textOf(spend)}`);
    }
    this.spends.clear();
    for (const [id, spend] of present) this.spends.set(id, spend);
    const once = new Set<string>();
    const sums = new Map<string, number>();
    for (const spend of spends) {
      const { purpose, sourceIds, triggerId, epsilon } = spend;
      const account = budgetKey(spend);
      const what = `${account} for ${purpose} on ${sourceIds.join()} and ${triggerId ?? 'no trigger'}`;
      if (once.has(what)) this.say(`spent twice: ${what}`);
      once.add(what);
      // Without its name, a spend counts for several units.
      if (spend.of !== '' || spend.unit === 'user')
        sums.set(account, (sums.get(account) ?? 0) + epsilon * sourceIds.length);
    }
    for (const [account, sum] of sums)
      if (sum > (this.budget.epsilon ?? Infinity) + 1e-9) this.say(`${account} spent ${sum}`);
    for (const source of sources.filter(({ overBudget }) => overBudget === undefined))
      for (const account of accountsOf(this.budget, source))
        if (!once.has(`${budgetKey(account)} for report on ${source.id} and no trigger`))
          this.say(`source ${source.id} spent nothing`);
  }

  /** Each response is written, then registered once. */
  private checkRegistrations({ log, waiting }: Contents): void {
    const logged = new Set<string>();
    for (const { header } of log) {
      if (logged.has(header)) this.say(`registered twice: ${header}`);
      logged.add(header);
    }
    for (const { response } of waiting) {
      const { headers } = response;
      const header = headers.source ?? headers.trigger ?? '';
      if (logged.has(header)) this.say(`registered, and still waits: ${header}`);
      this.waiting.add(header);
    }
  }

  /** Each report that was tried counts once for each of its destinations, as far as the limit asks. */
  private checkSent({ reports, finished, pairUse }: Contents, recent: (time: number) => boolean): void {
    const tried = new Map<string, number>();
    for (const { event, attempts, reportTime, sourceSite } of [
      ...reports,
      ...finished.map(({ report }) => report),
    ]) {
      if (event?.countsWhenSent !== true || attempts.length === 0 || !recent(reportTime)) continue;
      for (const destination of event.destinations) {
        const pair = `${sourceSite ?? ''} ${destination}`;
        tried.set(pair, (tried.get(pair) ?? 0) + 1);
      }
    }
    const most = (count: number): number => Math.min(count, chromiumLimits.maxAttributions);
    for (const { sourceSite, destination, attributions } of pairUse) {
      const sent = attributions.filter(({ scope, time }) => scope === 'sent-report' && recent(time)).length;
      const due = tried.get(`${sourceSite} ${destination}`) ?? 0;
      if (most(sent) !== most(due))
        this.say(`${sourceSite} counts ${sent} sent reports for ${destination}, and sent ${due}`);
    }
  }

  private checkLimits(contents: Contents, now: number): void {
    const { sources, reports, finished, pairUse } = contents;
    const window = chromiumLimits.attributionRateLimitWindow;
    const ended = new Map(finished.map(({ id, end }) => [id, end]));
    const known = new Set([...reports.map(({ id }) => id), ...ended.keys()]);
    const counted = new Map<number, number>();
    for (const { scope, report } of pairUse.flatMap(({ attributions }) => attributions)) {
      if (report === null) continue;
      counted.set(report, (counted.get(report) ?? 0) + 1);
      if (scope !== 'event-attribution') continue;
      if (!known.has(report) || WITHDRAWN.includes(ended.get(report) ?? ''))
        this.say(`report ${report} counts against limits, and is ${ended.get(report) ?? 'unknown'}`);
    }
    const recent = (time: number): boolean => now - time < window;
    this.checkSent(contents, recent);
    for (const source of sources) {
      this.checkReportCount(source, reports, finished);
      if (source.expiryTime > now) this.checkClaims(source, contents);
    }
    const bySource = new Map(sources.map((source) => [source.id, source]));
    for (const { id, event } of reports) {
      if (event === null || event.fake) continue;
      const source = bySource.get(event.sourceId);
      if (source === undefined || !recent(source.time) || source.noise.kind === 'drawn') continue;
      const count = counted.get(id) ?? 0;
      const due = event.countsWhenSent === true ? 0 : 1;
      if (count !== due) this.say(`report ${id} counts ${count} times against limits`);
    }
    this.checkCounts(contents);
  }

  /** A source claims its destinations, or another claims them that is better and lives longer. */
  private checkClaims(source: Source, { partyUse }: Contents): void {
    const { sourceSite, reportingOrigin, registration, expiryTime } = source;
    const party = partyUse.find(
      (use) => use.sourceSite === sourceSite && use.reportingSite === siteOf(reportingOrigin),
    );
    for (const destination of registration.destinations) {
      const claims = party?.destinations.find((claimed) => claimed.destination === destination)?.claims ?? [];
      if (!claims.some(({ source: id, expiry }) => id === source.id || expiry >= expiryTime))
        this.say(`source ${source.id} does not claim ${destination}`);
    }
  }

  /** What follows from other rows, does. */
  private checkCounts({
    sources,
    reports,
    originUse,
    destinationUse,
    candidateUse,
    sourceReports,
  }: Contents): void {
    const expected = new BufferedDraft({ get: () => undefined, candidates: () => [], upTo: () => [] });
    for (const source of sources) addSource(expected, source);
    for (const report of reports) addReport(expected, report);
    const counts = (rows: readonly object[], fields: readonly string[]): string =>
      JSON.stringify(
        rows
          .map((row) => fields.map((field) => (row as Readonly<Record<string, unknown>>)[field]))
          .map((row) => JSON.stringify(row))
          .sort(),
      );
    const found = { originUse, destinationUse, candidateUse, sourceReports };
    const fields = {
      originUse: ['id', 'sources'],
      destinationUse: ['id', 'eventLevel', 'aggregatable'],
      candidateUse: ['id', 'plain', 'scoped'],
      sourceReports: ['id'],
    };
    for (const name of Object.keys(fields) as (keyof typeof fields)[]) {
      const rows = [...(expected.changes.get(name)?.values() ?? [])].flatMap((row) => row ?? []);
      if (counts(found[name], fields[name]) !== counts(rows, fields[name]))
        this.say(`${name} counts ${counts(found[name], fields[name])}, not ${counts(rows, fields[name])}`);
    }
  }

  private checkReportCount(
    { id, noise, flexible, reportCount }: Source,
    reports: readonly Report[],
    finished: readonly FinishedReport[],
  ): void {
    if (flexible !== null || !['truthful', 'off', 'undrawn'].includes(noise.kind)) return;
    const kept = finished.filter(({ end }) => !WITHDRAWN.includes(end)).map(({ report }) => report);
    const count = [...reports, ...kept].filter(({ event }) => event?.sourceId === id).length;
    if (count !== reportCount) this.say(`source ${id} has ${count} reports, and counts ${reportCount}`);
  }

  private checkLog({ log, sources, reports, finished }: Contents): void {
    const stored = new Set<number>();
    const made = new Set<number>();
    for (const entry of log) {
      if (entry.kind === 'source' && entry.decision.kind === 'stored') {
        stored.add(entry.decision.sourceId);
        if (entry.decision.noise.kind === 'undrawn') this.drawnLate.add(entry.decision.sourceId);
      }
      if (entry.kind !== 'trigger') continue;
      for (const decision of decisionsOf(entry.decision))
        if (decision.kind === 'attributed') for (const id of decision.reports) made.add(id);
    }
    for (const { id } of sources) if (!stored.has(id)) this.say(`source ${id} is not in the log`);
    const all = [...reports, ...finished.map(({ report }) => report)];
    const present = new Set(all.map(({ id }) => id));
    for (const id of made) if (!present.has(id)) this.say(`the log has report ${id}, and nothing else has`);
    for (const { id, event } of all)
      if (event?.fake === false && !made.has(id) && !this.drawnLate.has(event.sourceId))
        this.say(`report ${id} has no conversion in the log`);
  }
}
