import { isJsonObject } from '../../../src/model/json';
import type { Report } from '../../../src/model/records';

/** The number of the random words that a report is sealed with: 48 bits of its id, because no seed decides its number. */
export function sealingStreamOf({ body }: Pick<Report, 'body'>): number {
  const { shared_info: found } = isJsonObject(body) ? body : {};
  const info = typeof found === 'string' ? found : '';
  const [, first = '', second = ''] = /"report_id":"([\da-f]{8})-([\da-f]{4})-/.exec(info) ?? [];
  return Number(`0x0${first}${second}`);
}
