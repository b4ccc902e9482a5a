import type { PrivacyUnit } from '../../src/model/mechanisms';

/** A privacy unit. */
export const units = {
  impression: 'impression {of}',
  'user-publisher': 'the person on {of}',
  'user-advertiser': 'the person for {of}',
  user: 'the person',
} as const satisfies Record<PrivacyUnit, string>;
