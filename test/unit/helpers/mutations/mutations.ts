import { attribution } from './attribution';
import { budgets } from './budgets';
import { limits } from './limits';
import type { Mutation } from './mutation';
import { noise } from './noise';
import { reports } from './reports';

/** Sabotages of the engine, each of which the audit must find. */
export const mutations: readonly Mutation[] = [...noise, ...reports, ...budgets, ...attribution, ...limits];
