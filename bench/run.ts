import { benchEstimates } from './estimate';
import { benchEstimators } from './estimators';
import { benchCollector } from './collector';
import { benchInMemory } from './in-memory';
import { benchDurable } from './durable';
import { benchPageCost } from './page-cost';
import { benchLearn } from './learn';
import { benchPages } from './pages';
import { benchRandomizedResponse } from './randomized-response';
import { benchRegistrations } from './registrations';
import { benchSamplers } from './samplers';
import { benchSimulate } from './simulate';
import { benchSite } from './site';
import { benchStart } from './start';
import { benchStates } from './states';
import { benchUnbiased } from './unbiased';

/**
 * `npm run bench` runs all but the slow parts. `npm run bench -- simulate 100000` runs that part at full size, `npm run bench -- start`
 * `-- in-memory`, `-- registrations` or `-- unbiased` only that part, `npm run bench -- pages`, `-- page-cost`,
 * `-- durable` and `-- estimators` take minutes, and `-- site` needs `npm run site`.
 */
const [only, users] = process.argv.slice(2);

async function run(): Promise<void> {
  if (only === 'pages') return benchPages();
  if (only === 'page-cost') return benchPageCost();
  if (only === 'site') return benchSite();
  if (only === 'durable') return benchDurable();
  if (only === 'in-memory') return benchInMemory();
  if (only === 'registrations') return benchRegistrations();
  if (only === 'estimators') {
    benchEstimators();
    return;
  }
  if (only === 'learn') {
    benchLearn();
    return;
  }
  if (only === 'start') {
    benchStart();
    return;
  }
  if (only === 'unbiased') {
    benchUnbiased();
    return;
  }
  if (only !== 'simulate') {
    benchStart();
    benchStates();
    benchRandomizedResponse();
    benchSamplers();
    benchEstimates();
    await benchInMemory();
    await benchRegistrations();
    await benchCollector();
  }
  benchSimulate(users === undefined ? undefined : Number(users));
}

void run();
