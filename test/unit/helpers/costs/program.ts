import './as-extension';
import { findings } from './findings';

/** A program: `LARGEST` to what grows too fast, as JSON. */
async function main([largest]: readonly string[]): Promise<void> {
  const found = await findings(Number(largest));
  process.stdout.write(JSON.stringify({ found, megabytes: process.resourceUsage().maxRSS / 1024 }));
}

void main(process.argv.slice(2));
