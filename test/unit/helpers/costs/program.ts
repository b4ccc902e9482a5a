import './as-extension';
import { Reached, type Functions } from './reached';

/** What was measured of one kind of input. */
interface Measured {
  /** What grows too fast. */
  readonly found: readonly string[];
  /** The most memory that the program had until then. */
  readonly megabytes: number;
  /** The functions that ran meanwhile. */
  readonly reached: Functions;
}

/** What the program says that measures, by kind of input. */
export type Measurements = Readonly<Record<string, Measured>>;

/** In characters: the largest text for entrances in the long form. */
const LONG = 32_000;
/** Of so many shapes of a text, `npm test` has one for each function. */
const ONE_OF = 4;

/** A program: `texts LARGEST`, `entrances LARGEST`, or both one after the other, which loads the modules once. */
async function main(given: readonly string[]): Promise<void> {
  const reached = new Reached();
  await reached.start();
  const measured: Record<string, Measured> = {};
  for (let place = 0; place < given.length; place += 2) {
    const [what = '', largest] = [given[place], Number(given[place + 1])];
    const found = what === 'texts' ? await ofTexts(largest) : await ofEntrances(largest, reached);
    const megabytes = process.resourceUsage().maxRSS / 1024;
    measured[what] = { found, megabytes, reached: await reached.take() };
  }
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
