import { benchEstimates } from './estimate';
import { benchRandomizedResponse } from './randomized-response';
import { benchStates } from './states';

benchStates();
benchRandomizedResponse();
benchEstimates();
