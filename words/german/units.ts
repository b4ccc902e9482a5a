import type { PrivacyUnit } from '../../src/model/mechanisms';

export const units = {
  impression: 'Impression {of}',
  'user-publisher': 'die Person auf {of}',
  'user-advertiser': 'die Person für {of}',
  user: 'die Person',
} as const satisfies Record<PrivacyUnit, string>;
