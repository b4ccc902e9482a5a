import type { LogEntry } from '../../src/model/decision';
import type { FinishedReport, RateLimitRecord, Report, Source } from '../../src/model/records';
import { siteOf } from '../../src/registration/origin';
import { tableNames, type Rows, type Store, type TableName, type Transaction } from '../../src/store/store';
import type { ClearScope } from '../messages';
import { t } from '../pages/lib/i18n';

/** How long what was erased can be brought back: a little longer than the pages offer it. */
const UNDO_TIME = 12_000;

interface Erased {
  readonly rows: readonly { readonly table: TableName; readonly row: Rows[TableName] }[];
}

/**
 * Erases what was recorded, and can take that back for a while. Meanwhile it is held in memory only: it is off the disk at
 * once, and gone for good should the background end.
 */
export class Erasing {
  private erased: Erased | null = null;
  private forgetting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {}

  async erase(scope: ClearScope | null): Promise<void> {
    const rows = await this.store.write((tx) => (scope === null ? eraseAll(tx) : eraseSome(tx, scope)));
    clearTimeout(this.forgetting);
    this.erased = { rows };
    this.forgetting = setTimeout(() => (this.erased = null), UNDO_TIME);
  }

  /** Erases everything, also what could still be brought back. */
  async eraseForGood(): Promise<void> {
    await this.store.write(async (tx) => {
      for (const table of tableNames()) await tx.table(table).clear();
    });
    clearTimeout(this.forgetting);
    this.erased = null;
  }

  /** @throws Error when there is nothing to bring back any more. */
  async undo(): Promise<void> {
    const { erased } = this;
    if (erased === null) throw new Error(t('background_not_undone'));
    this.erased = null;
    await this.store.write(async (tx) => {
      for (const { table, row } of erased.rows) await tx.table(table).put(row);
    });
  }
}

async function eraseAll(tx: Transaction): Promise<Erased['rows']> {
  const erased = [];
  for (const table of tableNames()) {
    for (const row of await tx.table(table).latest(Infinity)) erased.push({ table, row });
    await tx.table(table).clear();
  }
  return erased;
}

/**
 * What of each table belongs to a site, and to a time. Spends stay: what was told was told, and a budget must not begin anew by erasing
 * a part.
 */
const belonging: {
  readonly [Name in 'sources' | 'undrawn' | 'reports' | 'finished' | 'rateLimits' | 'log']: {
    readonly sites: (row: Rows[Name]) => readonly string[];
    readonly time: (row: Rows[Name]) => number;
  };
} = {
  sources: { sites: sitesOfSource, time: ({ time }) => time },
  // Otherwise a report of a source that was erased would be drawn, and leave, when its window closes.
  undrawn: { sites: ({ source }) => sitesOfSource(source), time: ({ source }) => source.time },
  reports: { sites: sitesOfReport, time: timeOfReport },
  finished: {
    sites: ({ report }: FinishedReport) => sitesOfReport(report),
    time: ({ report }) => timeOfReport(report),
  },
  rateLimits: {
    sites: ({ sourceSite, destination, reportingSite }: RateLimitRecord) => [
      sourceSite,
      destination,
      reportingSite,
    ],
    time: ({ time }) => time,
  },
  log: {
    sites: ({ contextSite, reportingOrigin }: LogEntry) => [contextSite, siteOf(reportingOrigin)],
    time: ({ time }) => time,
  },
};

function sitesOfSource({ sourceSite, reportingOrigin, registration }: Source): readonly string[] {
  return [sourceSite, siteOf(reportingOrigin), ...registration.destinations];
}

function sitesOfReport({ event, reportingOrigin }: Report): readonly string[] {
  return [siteOf(reportingOrigin), ...(event?.destinations ?? [])];
}

/** When what it reports happened. */
function timeOfReport({ event, reportTime }: Report): number {
  return event?.triggerTime ?? reportTime;
}

async function eraseSome(tx: Transaction, scope: ClearScope): Promise<Erased['rows']> {
  const erased: { table: TableName; row: Rows[TableName] }[] = [];
  const sourceIds = new Set<number>();
  const erase = async <Name extends keyof typeof belonging>(
    table: Name,
    also: (row: Rows[Name]) => boolean = () => false,
  ): Promise<void> => {
    const { sites, time } = belonging[table];
    for (const row of await tx.table(table).latest(Infinity)) {
      const isMeant =
        scope.kind === 'site'
          ? sites(row).includes(scope.site)
          : time(row) >= scope.from && time(row) <= scope.to;
      if (!isMeant && !also(row)) continue;
      erased.push({ table, row });
      if (table === 'sources') sourceIds.add(row.id);
      await tx.table(table).delete(row.id);
    }
  };
  await erase('sources');
  await erase('undrawn');
  // A report goes with its source: nothing could explain it any more.
  const ofSource = ({ event }: Report): boolean => event !== null && sourceIds.has(event.sourceId);
  await erase('reports', ofSource);
  await erase('finished', ({ report }) => ofSource(report));
  await erase('rateLimits');
  await erase('log');
  return erased;
}
