import './as-extension';
import { findings } from './findings';

/** A program: `LARGEST SEEDS` to what grows too fast, as JSON. */
async function main([largest, seeds]: readonly string[]): Promise<void> {
  const found = await findings(Number(largest), Number(seeds));
  process.stdout.write(JSON.stringify({ found, megabytes: process.resourceUsage().maxRSS / 1024 }));
}

void main(process.argv.slice(2));
