import { decimalsOf } from '../estimate/result/decimals';
import type { Figure } from './experiment';
import { fixed, type MeanWithError } from '../report/mean-with-error';
import type { Point } from './summary';

/** A column of the table of a figure. */
interface Column {
  readonly heading: string;
  readonly text: (point: Point) => string;
}

/** What the losses of a figure are. */
export const lossHeading = ({ label }: Figure): string =>
  label === 'conversion' ? 'relative AUC loss, %' : 'growth of squared error, %';

/** The columns after the name of the line. */
export const shownColumns = (figure: Figure): readonly Column[] => [
  { heading: 'ε', text: ({ recipe }) => String(recipe.epsilon ?? '∞') },
  { heading: 'cap', text: ({ recipe }) => String(recipe.cap ?? '–') },
  { heading: lossHeading(figure), text: ({ loss }) => shown(loss, 2) },
  { heading: errorHeading(figure), text: (point) => errorOf(figure, point) },
  { heading: 'label error', text: ({ labelError }) => (labelError === null ? '–' : shown(labelError, 2)) },
  { heading: 'calibration', text: ({ calibration }) => shown(calibration, 2) },
];

export const errorHeading = ({ label }: Pick<Figure, 'label'>): string =>
  label === 'conversion' ? 'AUC' : 'squared error';

export const errorOf = ({ label }: Pick<Figure, 'label'>, { error }: Point): string =>
  label === 'conversion' ? shown({ ...error, mean: 1 - error.mean }, 4) : shown(error, 1);

/** With so many digits after the point, and more if the error is smaller. */
function shown({ mean, error }: MeanWithError, least: number): string {
  const digits = Math.max(least, decimalsOf(Number.isNaN(error) ? mean : error, [], 1));
  return Number.isNaN(error) ? fixed(mean, digits) : `${mean.toFixed(digits)} ± ${error.toFixed(digits)}`;
}
