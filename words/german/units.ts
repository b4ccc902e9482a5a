import type { PrivacyUnit } from '../../src/model/mechanisms';

const TO = '{reportingSite, select, none {} other { gegenüber {reportingSite}}}';

export const units = {
  impression: 'Impression {of}',
  'user-publisher': `die Person auf {of}${TO}`,
  'user-advertiser': `die Person für {of}${TO}`,
  user: `die Person${TO}`,
} as const satisfies Record<PrivacyUnit, string>;
