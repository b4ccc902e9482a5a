import { benchRandomizedResponse } from './randomized-response';
import { benchSimulate } from './simulate';
import { benchStates } from './states';

/** `npm run bench`, or `npm run bench -- simulate 100000` for the full size of one part. */
const [only, users] = process.argv.slice(2);

async function run(): Promise<void> {
  if (only !== 'simulate') {
    benchStates();
    benchRandomizedResponse();
  }
  await benchSimulate(users === undefined ? undefined : Number(users));
}

void run();
