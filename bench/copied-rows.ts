import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { linesOf } from '../node/lines';

const ID = /("source_event_id": ?")(\d+)"/g;
/** Ids have 64 bits. */
const SHIFT = 57n;
const REPORT = /("report_id": ?")[0-9a-f]{2}/g;

/**
 * Writes copies of a source log, or of reports. The sources of each have ids of their own, and so have the reports.
 * @param copies at most 128
 */
export async function copyRows(from: string, into: string, copies: number): Promise<void> {
  const handle = openSync(into, 'wx');
  try {
    for (let copy = 0; copy < copies; copy++) {
      const shift = BigInt(copy) << SHIFT;
      const first = copy.toString(16).padStart(2, '0');
      for await (const lines of linesOf(createReadStream(from))) {
        const rows = lines.map(({ value }) =>
          value
            .replace(ID, (_, name: string, id: string) => `${name}${BigInt.asUintN(64, BigInt(id) + shift)}"`)
            .replace(REPORT, (_, name: string) => name + first),
        );
        writeSync(handle, rows.map((row) => `${row}\n`).join(''));
      }
    }
  } finally {
    closeSync(handle);
  }
}
