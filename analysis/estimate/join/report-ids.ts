import { KeyTable } from './key-table';
import { LargeMap } from './large-map';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const WORDS = 4;

/** The ids of reports. They are UUIDs, as 128 bits, unless somebody else made the file. */
export class ReportIds {
  private readonly uuids = new KeyTable(WORDS);
  private readonly others = new LargeMap<string, true>();
  private readonly key = new Int32Array(WORDS);

  /** @returns whether it was not there before */
  add(id: string): boolean {
    if (UUID.test(id)) {
      const { size } = this.uuids;
      for (const [place, digits] of wordsOf(id).entries()) this.key[place] = Number.parseInt(digits, 16);
      return this.uuids.add(this.key) === size;
    }
    if (this.others.has(id)) return false;
    this.others.set(id, true);
    return true;
  }
}

const wordsOf = (id: string): readonly string[] => [
  id.slice(0, 8),
  id.slice(9, 13) + id.slice(14, 18),
  id.slice(19, 23) + id.slice(24, 28),
  id.slice(28),
];
