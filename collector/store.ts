import { mkdir } from 'node:fs/promises';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import type { ReportKind } from '../src/model/records';
import type { EventLevelReport } from './report-body';

/** A report that was checked, on its way into the store. */
export interface ReceivedReport {
  readonly kind: ReportKind;
  readonly reportingOrigin: string;
  /** The URL the report was meant for, when it came in collector mode. */
  readonly reportUrl: string | null;
  readonly receivedTime: Date;
  /** The JSON text as received. */
  readonly body: string;
  /** Null for a verbose debug report, which has no such fields. */
  readonly eventLevel: EventLevelReport | null;
}

export interface StoredReport extends ReceivedReport {
  /** Grows with the order of arrival. */
  readonly id: number;
}

export interface Counts {
  readonly received: number;
  readonly duplicates: number;
  readonly refused: number;
}

export interface ListOptions {
  readonly order: 'oldest first' | 'newest first';
  readonly limit: number;
  /** Only reports with a greater id. */
  readonly after: number;
  readonly kind: ReportKind | null;
}

/** Step by step from the empty database; a step that was released is never changed. */
const migrations: readonly string[] = [
  `CREATE TABLE reports (
     id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     kind TEXT NOT NULL,
     report_id TEXT,
     reporting_origin TEXT NOT NULL,
     report_url TEXT,
     received_time TIMESTAMPTZ NOT NULL,
     scheduled_time TIMESTAMPTZ,
     destinations TEXT[],
     source_type TEXT,
     source_event_id NUMERIC(20),
     trigger_data NUMERIC(20),
     randomized_trigger_rate DOUBLE PRECISION,
     bucket_first BIGINT,
     bucket_last BIGINT,
     body TEXT NOT NULL,
     duplicates BIGINT NOT NULL DEFAULT 0,
     UNIQUE (kind, report_id)
   );
   CREATE TABLE refusals (kind TEXT PRIMARY KEY, refused BIGINT NOT NULL);`,
];

const IN_MEMORY = 'memory://';

/** A row of `reports`: what may exceed a number's precision comes as text. */
interface Row {
  readonly id: number;
  readonly kind: ReportKind;
  readonly report_id: string | null;
  readonly reporting_origin: string;
  readonly report_url: string | null;
  readonly received_time: Date;
  readonly scheduled_time: Date;
  readonly destinations: readonly string[];
  readonly source_type: 'navigation' | 'event';
  readonly source_event_id: string;
  readonly trigger_data: string;
  readonly randomized_trigger_rate: number;
  readonly bucket_first: number | null;
  readonly bucket_last: number | null;
  readonly body: string;
}

/**
 * Where the collector keeps what it received: PostgreSQL, embedded in this process. What was committed survives the
 * end of the process, however sudden; PGlite does not sync to the disk, so it may not survive a loss of power.
 * One process at a time may use a folder.
 */
export class CollectorStore {
  private constructor(private readonly db: PGlite) {}

  /**
   * Opens the database in a folder (made when it is not there), or with `memory://` one that is forgotten.
   * @throws Error when a newer version of the collector wrote it.
   */
  static async open(path: string): Promise<CollectorStore> {
    if (path !== IN_MEMORY) await mkdir(path, { recursive: true });
    const db = await PGlite.create(path);
    await migrate(db);
    return new CollectorStore(db);
  }

  /** Resolves once the report is committed. One with the kind and `report_id` of another is only counted. */
  async add(report: ReceivedReport): Promise<'stored' | 'duplicate'> {
    const event = report.eventLevel;
    const { rows } = await this.db.query<{ duplicates: number }>(
      `INSERT INTO reports (kind, report_id, reporting_origin, report_url, received_time, scheduled_time, destinations,
         source_type, source_event_id, trigger_data, randomized_trigger_rate, bucket_first, bucket_last, body)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       ON CONFLICT (kind, report_id) DO UPDATE SET duplicates = reports.duplicates + 1
       RETURNING duplicates`,
      [
        report.kind,
        event?.reportId ?? null,
        report.reportingOrigin,
        report.reportUrl,
        report.receivedTime.toISOString(),
        event?.scheduledTime.toISOString() ?? null,
        event?.destinations ?? null,
        event?.sourceType ?? null,
        event?.sourceEventId.toString() ?? null,
        event?.triggerData.toString() ?? null,
        event?.randomizedTriggerRate ?? null,
        event?.summaryBucket?.[0] ?? null,
        event?.summaryBucket?.[1] ?? null,
        report.body,
      ],
    );
    return rows[0]?.duplicates === 0 ? 'stored' : 'duplicate';
  }

  /** Counts a report that was refused. */
  async countRefused(kind: ReportKind): Promise<void> {
    await this.db.query(
      `INSERT INTO refusals (kind, refused) VALUES ($1, 1)
       ON CONFLICT (kind) DO UPDATE SET refused = refusals.refused + 1`,
      [kind],
    );
  }

  async list({ order, limit, after, kind }: ListOptions): Promise<readonly StoredReport[]> {
    const { rows } = await this.db.query<Row>(
      `SELECT id, kind, report_id, reporting_origin, report_url, received_time, scheduled_time, destinations, source_type,
         source_event_id::TEXT, trigger_data::TEXT, randomized_trigger_rate, bucket_first, bucket_last, body
       FROM reports WHERE id > $1 AND ($2::TEXT IS NULL OR kind = $2)
       ORDER BY id ${order === 'newest first' ? 'DESC' : 'ASC'} LIMIT $3`,
      [after, kind, limit],
    );
    return rows.map(reportOfRow);
  }

  async counts(): Promise<Counts> {
    const { rows } = await this.db.query<Counts>(
      `SELECT count(*)::INTEGER AS received, coalesce(sum(duplicates), 0)::INTEGER AS duplicates,
         (SELECT coalesce(sum(refused), 0)::INTEGER FROM refusals) AS refused
       FROM reports`,
    );
    return rows[0] ?? { received: 0, duplicates: 0, refused: 0 };
  }

  async close(): Promise<void> {
    await this.db.close();
  }
}

async function migrate(db: PGlite): Promise<void> {
  await db.exec(
    'CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, applied_time TIMESTAMPTZ NOT NULL)',
  );
  await db.transaction(async (transaction) => {
    const version = await currentVersion(transaction);
    if (version > migrations.length) {
      throw new Error(
        `The store has version ${version}; this collector knows versions up to ${migrations.length}.`,
      );
    }
    for (const [index, sql] of migrations.entries()) {
      if (index < version) continue;
      await transaction.exec(sql);
      await transaction.query('INSERT INTO migrations (version, applied_time) VALUES ($1, now())', [
        index + 1,
      ]);
    }
  });
}

async function currentVersion(transaction: Transaction): Promise<number> {
  const { rows } = await transaction.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM migrations',
  );
  return rows[0]?.version ?? 0;
}

function reportOfRow(row: Row): StoredReport {
  return {
    id: row.id,
    kind: row.kind,
    reportingOrigin: row.reporting_origin,
    reportUrl: row.report_url,
    receivedTime: row.received_time,
    body: row.body,
    eventLevel: row.report_id === null ? null : eventLevelOfRow(row, row.report_id),
  };
}

function eventLevelOfRow(row: Row, reportId: string): EventLevelReport {
  return {
    reportId,
    destinations: row.destinations,
    sourceType: row.source_type,
    sourceEventId: BigInt(row.source_event_id),
    triggerData: BigInt(row.trigger_data),
    randomizedTriggerRate: row.randomized_trigger_rate,
    scheduledTime: row.scheduled_time,
    summaryBucket:
      row.bucket_first === null || row.bucket_last === null ? null : [row.bucket_first, row.bucket_last],
  };
}
