import type { PrivacyUnit } from '../../src/model/mechanisms';

const TO = '{reportingSite, select, none {} other { to {reportingSite}}}';

/** A privacy unit, to one reporting site or to all. */
export const units = {
  impression: 'impression {of}',
  'user-publisher': `the person on {of}${TO}`,
  'user-advertiser': `the person for {of}${TO}`,
  user: `the person${TO}`,
} as const satisfies Record<PrivacyUnit, string>;
