import type { CollectedReport } from '../../../formats/reports/report-line';
import { KeyTable } from './key-table';
import { LargeMap } from './large-map';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Of a UUID, and a source event id. */
const WORDS = 6;

/**
 * The ids of reports, each with the source event id, so that a log can be joined in parts by these. Report ids are UUIDs, as 128 bits, unless somebody
 * else made the file.
 */
export class ReportIds {
  private readonly uuids = new KeyTable(WORDS);
  private readonly others = new LargeMap<string, true>();
  private readonly key = new Int32Array(WORDS);
  private readonly sourceEventId = new BigUint64Array(this.key.buffer, 16);

  /** @returns whether it was not there before */
  add({ reportId: id, sourceEventId }: Pick<CollectedReport, 'reportId' | 'sourceEventId'>): boolean {
    if (UUID.test(id)) {
      const { size } = this.uuids;
      for (const [place, digits] of wordsOf(id).entries()) this.key[place] = Number.parseInt(digits, 16);
      this.sourceEventId[0] = sourceEventId;
      return this.uuids.add(this.key) === size;
    }
    const text = `${sourceEventId} ${id}`;
    if (this.others.has(text)) return false;
    this.others.set(text, true);
    return true;
  }
}

const wordsOf = (id: string): readonly string[] => [
  id.slice(0, 8),
  id.slice(9, 13) + id.slice(14, 18),
  id.slice(19, 23) + id.slice(24, 28),
  id.slice(28),
];
