import { benchEstimates } from './estimate';
import { benchCollector } from './collector';
import { benchPages } from './pages';
import { benchRandomizedResponse } from './randomized-response';
import { benchSamplers } from './samplers';
import { benchStates } from './states';

benchStates();
benchRandomizedResponse();
benchSamplers();
benchEstimates();
void benchCollector().then(benchPages);
