import type { Source } from '../../../src/model/records';
import type { Moment } from '../../../src/model/units';

type Counted = Pick<Source, 'countsWhenSent' | 'expiryTime'>;

/** Until when limits count some sources as the specification does, because they were recorded under other settings; null: they count none so. */
export function earlierLimitsUntil(sources: readonly Counted[], now: number): Moment | null {
  let until: Moment | null = null;
  for (const { countsWhenSent, expiryTime } of sources)
    if (countsWhenSent !== true && expiryTime > now && (until === null || expiryTime > until))
      until = expiryTime;
  return until;
}
