import type { PrivacyUnit } from '../../../src/model/mechanisms';
import { words } from '../../words';
import { bare } from './words';

/** A privacy unit, with its sites as pages show them. */
export const unitWords = ({
  unit,
  of,
  reportingSite = null,
}: {
  readonly unit: PrivacyUnit;
  readonly of: string;
  readonly reportingSite?: string | null;
}): string =>
  words.unit({
    unit,
    of: bare(of),
    reportingSite: reportingSite === null ? null : bare(reportingSite),
  });
