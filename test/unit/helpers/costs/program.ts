import './as-extension';
import { Reached, type Functions } from './reached';

/** What a program says that measures. */
export interface Measured {
  /** What grows too fast. */
  readonly found: readonly string[];
  readonly megabytes: number;
  /** The functions that ran meanwhile. */
  readonly reached: Functions;
}

/** In characters: the largest text for entrances in the long form. */
const LONG = 32_000;
/** Of so many shapes of a text, `npm test` has one for each function. */
const ONE_OF = 4;

/** A program: `texts LARGEST` or `entrances LARGEST`. */
async function main([what, number]: readonly string[]): Promise<void> {
  const largest = Number(number);
  const reached = new Reached();
  await reached.start();
  const found = what === 'texts' ? await ofTexts(largest) : await ofEntrances(largest, reached);
  const megabytes = process.resourceUsage().maxRSS / 1024;
  const measured: Measured = { found, megabytes, reached: await reached.take() };
  process.stdout.write(JSON.stringify(measured), () => process.exit());
}

async function ofTexts(largest: number): Promise<readonly string[]> {
  const cases = (await import('./costs')).casesOf(largest, largest >= LONG ? 1 : ONE_OF);
  return (await import('./findings')).findingsOf(cases, smallestFor(largest));
}

async function ofEntrances(largest: number, reached: Reached): Promise<readonly string[]> {
  const isLong = largest >= LONG;
  const cases = await (await import('./entrance-cases')).entranceCases(Math.min(largest, LONG), isLong);
  // What starts them is not measured.
  await reached.take();
  return (await import('./findings')).findingsOf(cases, smallestFor(largest));
}

/** One size each if it is not the long form: a smaller one is measured if that takes long. */
const smallestFor = (largest: number): number => (largest >= LONG ? 1000 : 2 * largest);

void main(process.argv.slice(2));
