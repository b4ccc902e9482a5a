import { epsilon } from '../../../src/model/units';
import type { Setup } from '../relation';

/** Its output is the truth but for one in a million, so that it shows whether there was room for it. */
export const probe = { epsilon: epsilon(14) };
/** Its output is drawn evenly from all states. */
export const noise = { epsilon: epsilon(0) };

/** Nothing where limits count what the specification counts: conversions, too. */
export const promised = ({ settings, label }: Setup): number | null =>
  settings.limits === 'private' ? label : null;
