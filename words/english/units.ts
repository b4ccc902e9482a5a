import type { PrivacyUnit } from '../../src/model/mechanisms';

const OF = '{of, select, erased {an erased site} other {{of}}}';
const TO = '{reportingSite, select, none {} erased { to an erased site} other { to {reportingSite}}}';

/** A privacy unit, to one reporting site or to all. */
export const units = {
  impression: 'impression {of}',
  'user-publisher': `the person on ${OF}${TO}`,
  'user-advertiser': `the person for ${OF}${TO}`,
  user: `the person${TO}`,
} as const satisfies Record<PrivacyUnit, string>;
