import type { AnalysisOptions } from '../../analysis/estimate/result/analysis';
import { pooledWorker, type PooledWorker } from '../../node/pooled-worker';
import type { Json } from '../../src/model/json';
import type { Joined } from './join-store';

export interface AnalysisRequest {
  readonly joined: Joined;
  readonly groupBy: readonly string[];
  readonly options: AnalysisOptions;
}

export const analysisWorker: PooledWorker<undefined, AnalysisRequest, Json> = pooledWorker('analysis-worker');
