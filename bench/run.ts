import { benchPages } from './pages';
import { benchRandomizedResponse } from './randomized-response';
import { benchStates } from './states';

benchStates();
benchRandomizedResponse();
void benchPages();
