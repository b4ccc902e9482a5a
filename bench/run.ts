import { runCompiled } from './compiled';

type Part = (users?: number, words?: readonly string[]) => Promise<void> | void;

/** Each is loaded when it runs. */
type Parts = Readonly<Record<string, () => Promise<Part>>>;

const quick: Parts = {
  start: async () => (await import('./start')).benchStart,
  'in-memory': compiled('in-memory', 'benchInMemory'),
  registrations: compiled('registrations', 'benchRegistrations'),
  collector: async () => (await import('./collector')).benchCollector,
  simulate: async () => (await import('./simulate')).benchSimulate,
  'simulate-worker': compiled('simulate-worker', 'benchSimulateWorker'),
};

/**
 * Those that run only when they are named: they take minutes, and `measurement-simulation` compares with a program that variables name.
 */
const parts: Parts = {
  ...quick,
  'page-cost': async () => (await import('./page-cost')).benchPageCost,
  durable: async () => (await import('./durable')).benchDurable,
  growth: async () => (await import('./growth')).benchGrowth,
  'growth-commands': async () => (await import('./growth-commands')).benchGrowthCommands,
  'unbiased-randomizer': async () => (await import('./unbiased-randomizer')).benchUnbiasedRandomizer,
  dashboard: async () => (await import('./dashboard')).benchDashboard,
  day: async () => (await import('./day')).benchDay,
  'measurement-simulation': async () => (await import('./measurement-simulation')).benchMeasurementSimulation,
  kinds: async () => (await import('./kinds')).benchKinds,
  likelihood: compiled('likelihood', 'benchLikelihood'),
  'pooling-floor': async () => (await import('./pooling-floor')).benchPoolingFloor,
  'group-mixtures': async () => (await import('./group-mixtures')).benchGroupMixtures,
  'fit-power': async () => (await import('./fit-power')).benchFitPower,
  'model-power': compiled('model-power', 'benchModelPower'),
  waits: async () => (await import('./waits')).benchWaits,
  'trial-settings': compiled('trial-results', 'benchTrialSettings'),
};

function compiled(file: string, name: string): () => Promise<Part> {
  return () => Promise.resolve((users, words) => runCompiled(file, name, users, words));
}

/** `npm run bench`, or one part: `npm run bench -- start`. `npm run bench -- simulate 100000` runs that part at full size. */
async function run([name, users, ...words]: readonly string[]): Promise<void> {
  for (const chosen of name === undefined ? Object.keys(quick) : [name]) {
    const load = Object.hasOwn(parts, chosen) ? parts[chosen] : undefined;
    if (load === undefined) {
      process.stderr.write(`bench: there is no part ${chosen}; there are ${Object.keys(parts).join(', ')}\n`);
      process.exitCode = 2;
      return;
    }
    const part = await load();
    await part(users === undefined ? undefined : Number(users), words);
  }
}

void run(process.argv.slice(2));
