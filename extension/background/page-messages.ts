import type { Engine } from '../../src/engine';
import type { LogEntry } from '../../src/model/decision';
import { toJson } from '../../src/model/json';
import type { Json } from '../../src/model/recording-rule';
import { kindAndSiteKey, type Store } from '../../src/store/store';
import type { Overview, PageMessage } from '../messages';
import type { Clock } from './clock';
import type { Delivery } from './delivery';
import type { SettingsHolder } from './settings';

const MAX_ROWS = 1000;

/** Answers the extension's own pages. */
export class PageMessages {
  constructor(
    private readonly store: Store,
    private readonly engine: Engine,
    private readonly clock: Clock,
    private readonly settings: SettingsHolder,
    private readonly delivery: Delivery,
  ) {}

  /** @throws Error in words for a person when the request cannot be carried out. */
  async answer(message: PageMessage): Promise<unknown> {
    switch (message.kind) {
      case 'overview':
        return this.overview(message.site);
      case 'list':
        return this.list(message.table, message.limit);
      case 'get-settings':
        return this.settings.current;
      case 'set-settings':
        return this.settings.update(message.settings as unknown as Json);
      case 'advance-clock':
        return this.advanceClock(message.by);
      case 'reset-clock':
        await this.clock.reset();
        return this.overview(null);
      case 'send-due':
        await this.delivery.run();
        return this.overview(null);
      case 'send-pending':
        this.requireDebugMode();
        await this.engine.hurry(this.clock.now());
        await this.delivery.run();
        return this.overview(null);
      case 'clear':
        await this.engine.clear();
        await this.delivery.run();
        return this.overview(null);
      default:
        throw new Error(`there is no message ${JSON.stringify((message as { kind: unknown }).kind)}`);
    }
  }

  private async overview(site: string | null): Promise<Overview> {
    const nextReportTime = await this.engine.nextDue();
    const { paused, pausedSites, debug } = this.settings.current;
    const counts = await this.store.read(async (tx) => {
      const here = (kind: LogEntry['kind']): Promise<number> =>
        tx.table('log').countWhere('kindAndSite', kindAndSiteKey(kind, site ?? ''));
      return {
        sources: await tx.table('sources').count(),
        pendingReports: await tx.table('reports').count(),
        finishedReports: await tx.table('finished').count(),
        here: {
          sources: await here('source'),
          triggers: await here('trigger'),
          refused: await here('refused'),
        },
      };
    });
    return {
      now: this.clock.now(),
      clockAhead: this.clock.ahead,
      differences: this.settings.differences(this.clock),
      debugEnabled: debug.enabled,
      paused,
      pausedHere: pausedSites.includes(site ?? ''),
      nextReportTime,
      ...counts,
    };
  }

  private async list(table: Extract<PageMessage, { kind: 'list' }>['table'], limit: number): Promise<Json> {
    return toJson(await this.store.read((tx) => tx.table(table).latest(Math.min(limit, MAX_ROWS))));
  }

  private async advanceClock(by: number | 'next-report'): Promise<Overview> {
    this.requireDebugMode();
    const next = await this.engine.nextDue();
    const step = by === 'next-report' ? (next ?? 0) - this.clock.now() : by;
    if (!Number.isFinite(step)) throw new Error(`by: must be milliseconds or "next-report", was ${by}`);
    await this.clock.advance(step);
    await this.delivery.run();
    return this.overview(null);
  }

  private requireDebugMode(): void {
    if (!this.settings.current.debug.enabled) throw new Error('this needs debug mode, which is off');
  }
}
