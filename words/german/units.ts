import type { PrivacyUnit } from '../../src/model/mechanisms';

const ON = '{of, select, erased {einer gelöschten Website} other {{of}}}';
const FOR = '{of, select, erased {eine gelöschte Website} other {{of}}}';
const TO =
  '{reportingSite, select, none {} erased { gegenüber einer gelöschten Website} other { gegenüber {reportingSite}}}';

export const units = {
  impression: 'Impression {of}',
  'user-publisher': `die Person auf ${ON}${TO}`,
  'user-advertiser': `die Person für ${FOR}${TO}`,
  user: `die Person${TO}`,
} as const satisfies Record<PrivacyUnit, string>;
