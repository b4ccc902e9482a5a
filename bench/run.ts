import { benchEstimates } from './estimate';
import { benchEstimators } from './estimators';
import { benchCollector } from './collector';
import { benchDashboard } from './dashboard';
import { benchInMemory } from './in-memory';
import { benchDurable } from './durable';
import { benchPageCost } from './page-cost';
import { benchLearn } from './learn';
import { benchMeasurementSimulation } from './measurement-simulation';
import { benchPages } from './pages';
import { benchRandomizedResponse } from './randomized-response';
import { benchRegistrations } from './registrations';
import { benchSamplers } from './samplers';
import { benchSimulate } from './simulate';
import { benchSite } from './site';
import { benchStart } from './start';
import { benchStates } from './states';
import { benchUnbiased } from './unbiased';

/** All but the slow parts. */
async function benchAll(): Promise<void> {
  benchStart();
  benchStates();
  benchRandomizedResponse();
  benchSamplers();
  benchEstimates();
  await benchInMemory();
  await benchRegistrations();
  await benchCollector();
  benchSimulate();
}

/**
 * `pages`, `page-cost`, `durable`, `dashboard` and `estimators` take minutes, `site` needs `npm run site`, and `learn` and `measurement-simulation` compare
 * with programs that variables name.
 */
const parts: Readonly<Record<string, (users?: number) => Promise<void> | void>> = {
  pages: benchPages,
  'page-cost': benchPageCost,
  site: benchSite,
  durable: benchDurable,
  'in-memory': benchInMemory,
  registrations: benchRegistrations,
  estimators: benchEstimators,
  learn: benchLearn,
  'measurement-simulation': benchMeasurementSimulation,
  start: benchStart,
  collector: benchCollector,
  dashboard: benchDashboard,
  unbiased: benchUnbiased,
  simulate: benchSimulate,
};

/** `npm run bench`, or one part: `npm run bench -- start`. `npm run bench -- simulate 100000` runs that part at full size. */
async function run([name, users]: readonly string[]): Promise<void> {
  const part = name === undefined ? benchAll : parts[name];
  if (part === undefined) {
    process.stderr.write(`bench: there is no part ${name}; there are ${Object.keys(parts).join(', ')}\n`);
    process.exitCode = 2;
  } else await part(users === undefined ? undefined : Number(users));
}

void run(process.argv.slice(2));
