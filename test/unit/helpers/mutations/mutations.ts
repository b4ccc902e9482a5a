import { aggregatable } from './aggregatable';
import { arms } from './arms';
import { attribution } from './attribution';
import { budgets } from './budgets';
import { changes } from './changes';
import { erasing } from './erasing';
import { limits } from './limits';
import { delivery } from './delivery';
import { joint } from './joint';
import type { Mutation } from './mutation';
import { noise } from './noise';
import { reports } from './reports';
import { sourceLimits } from './source-limits';

/** Sabotages of the engine, each of which the audit must find. */
export const mutations: readonly Mutation[] = [
  ...noise,
  ...reports,
  ...aggregatable,
  ...delivery,
  ...erasing,
  ...budgets,
  ...changes,
  ...joint,
  ...attribution,
  ...arms,
  ...limits,
  ...sourceLimits,
];
