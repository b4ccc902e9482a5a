import type { Audited } from './audit';
import { ofReports } from './matrix/reports';
import { ofUnits } from './matrix/units';
import { ofAttribution } from './matrix/attribution';
import { ofAll } from './matrix/joint';
import { ofLabelNoise } from './matrix/label-noise';

/** The configurations that `cointoss audit` tries, and continuous integration with it. */
export const matrix: readonly Audited[] = [
  ...ofReports,
  ...ofUnits,
  ...ofAttribution,
  ...ofAll,
  ...ofLabelNoise,
];
