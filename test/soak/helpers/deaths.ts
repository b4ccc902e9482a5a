import { withoutBrowser } from '../../unit/helpers/crash/no-browser';
import { dieOften } from '../../unit/helpers/crash/workload';

/** A program that dies often for each of its seeds, and writes what was found as one line of JSON each. Called with the number of deaths first. */
async function main([deaths, ...seeds]: readonly string[]): Promise<void> {
  withoutBrowser();
  for (const seed of seeds) process.stdout.write(`${JSON.stringify(await dieOften(seed, Number(deaths)))}\n`);
}

void main(process.argv.slice(2));
