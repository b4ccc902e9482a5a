import { benchCollector } from './collector';
import { benchRandomizedResponse } from './randomized-response';
import { benchStates } from './states';

benchStates();
benchRandomizedResponse();
void benchCollector();
