import { epsilon } from '../../../src/model/units';
import { withMore, type Relation, type Setup } from '../relation';
import { bought, type World } from '../world';

/** Its output is the truth but for one in a million, so that it shows whether there was room for it. */
export const probe = { epsilon: epsilon(14) };
/** Its output is drawn evenly from all states. */
export const noise = { epsilon: epsilon(0) };

/** Nothing where limits count what the specification counts: conversions, too. */
export const promised = ({ settings, label }: Setup): number | null =>
  settings.limits === 'private' ? label : null;

/** What the noise of one impression promises, whatever limits count. */
export const ofLabel = ({ label }: Setup): number => label;

/** Worlds that differ in one conversion between what comes before and after; `first` gets its credit unless another one is given. */
export const withConversion =
  (
    before: World,
    after: World,
    promise: (setup: Setup) => number | null = promised,
    conversion = bought(2, 'shop'),
  ): Relation['neighbours'] =>
  (setup) => ({ worlds: withMore(before, [conversion], after), promise: promise(setup) });
