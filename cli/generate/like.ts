import { profileOf } from '../../analysis/experiment/w3c-measurement';
import type { ScenarioEvent } from '../../analysis/scenario/scenario';
import { parseLogLine } from '../../analysis/simulation/log-line';
import {
  groupsOf,
  journeyKinds,
  ProposedKinds,
  type JourneyKinds,
} from '../../analysis/synthetic/journey-kinds';
import { syntheticLog } from '../../analysis/synthetic/journey-log';
import { JourneyReader } from '../../analysis/synthetic/journeys';
import { cappedRows, type Row } from '../../analysis/synthetic/private-marginals';
import { bucketName, type Profile } from '../../analysis/w3c/profile';
import { parse } from '../../formats/codec/issues';
import type { Json } from '../../src/model/json';
import { epsilonParameter } from '../../src/privacy/parameters';
import { Rational } from '../../src/privacy/rational';
import { targetOf } from '../../node/files';
import { accept, InputError, integerOption, readJson, refuseOption, splitList } from '../io/input';
import { InputFiles, LEDGER } from '../io/input-files';
import { randomFor } from '../io/random';
import { isInFolder, refuseSameFile } from '../io/same-file';
import { tell } from '../io/terminal';
import { eventLines, Progress } from '../simulate/lines';
import { memberOf, wholeLog } from '../simulate/sharding';
import { sortedWith } from '../simulate/sort';
import { usersOf } from '../simulate/users';
import { spendOfLog, type Spend } from './spends';

export interface LikeOptions {
  readonly like: readonly string[];
  readonly columns?: string;
  readonly kinds?: string;
  readonly epsilon?: string;
  readonly mostJourneys: string;
  readonly ledger?: string;
  readonly seed?: string;
  readonly output: string;
}

/** What `--like` writes: one JSON document, or lines of a log. */
type Written = { readonly document: Json } | { readonly people: Iterable<readonly Json[]> };

/** @throws InputError */
export async function madeLike(options: LikeOptions): Promise<Written> {
  const { like, columns, kinds, epsilon, output } = options;
  // It is read twice, and its name is that of the ledger.
  if (like.includes('-')) throw new InputError('generate: --like: must be files, was "-"');
  const ledger = kinds === undefined ? options.ledger : ledgerOf(options);
  const { names } = new InputFiles(like);
  refuseSameFile(output, { 'the log': names, 'the kinds': kinds, 'the ledger': ledger });
  refuseSameFile(ledger, { 'the log': names, 'the kinds': kinds });
  if (kinds === undefined) {
    if (columns === undefined)
      throw new InputError('generate: --like: must come with --columns, or with --kinds and --epsilon');
    return { document: await proposed({ like, names }, splitList(columns)) };
  }
  if (epsilon === undefined || columns !== undefined)
    throw new InputError(
      'generate: --kinds: must come with --epsilon, and without --columns, which the file has',
    );
  return { people: await synthesized(names, kinds, epsilon, { ...options, ledger: ledger ?? '' }) };
}

/**
 * Its people are those of the log, so it is beside it.
 * @throws InputError when it would not be found again for other files of the same people.
 */
function ledgerOf({ like, ledger }: LikeOptions): string {
  if (ledger !== undefined) {
    refuseLogFile(ledger, like);
    return ledger;
  }
  const [file = '', ...more] = like;
  if (more.length > 0 || targetOf(file)?.isDirectory() === true)
    throw new InputError('generate: --ledger: must be given for several files or a folder');
  return `${file}.ledger`;
}

/** @throws InputError when the next run would read the ledger as a part of the log. */
function refuseLogFile(ledger: string, like: readonly string[]): void {
  if (LEDGER.test(ledger)) return;
  for (const folder of like.filter((name) => targetOf(name)?.isDirectory() === true))
    if (isInFolder(ledger, folder))
      throw new InputError(
        `generate: --ledger: must end with ".ledger" in a folder of the log, was "${ledger}"`,
      );
}

/** @param files no folders: what is left out of one is said once, and the files are read twice */
async function* eventsOf(files: readonly string[]): AsyncGenerator<readonly ScenarioEvent[]> {
  const progress = new Progress();
  const lines = sortedWith(progress, eventLines(new InputFiles(files), progress, memberOf(wholeLog)));
  for await (const { lines: own } of usersOf(lines, true))
    yield own.map(({ place, text }) => accept(place, parseLogLine(JSON.parse(text) as Json)).event);
}

const profileFor = (columns: readonly string[], names: readonly string[]): Profile =>
  profileOf(null, { columns, levels: [], confidence: 0.95 }, names);

async function proposed(
  { like, names }: Record<'like' | 'names', readonly string[]>,
  columns: readonly string[],
): Promise<Json> {
  const found = new ProposedKinds(columns);
  try {
    for await (const events of eventsOf(names)) found.addSources(events);
  } catch (error) {
    throw error instanceof RangeError ? new InputError(`generate: --columns: ${error.message}`) : error;
  }
  const profile = profileFor(columns, found.names);
  for await (const events of eventsOf(names)) found.addConversions(events, profile);
  const kinds = found.result();
  if (kinds === null) throw new InputError(`${like.join(', ')}: must have sources, had none`);
  tell([
    'these kinds are public: before you go on, check that none tells something about a person, and that nobody can conclude anything from which are there',
  ]);
  return journeyKinds.write(kinds);
}

async function synthesized(
  files: readonly string[],
  file: string,
  epsilon: string,
  options: LikeOptions & { readonly ledger: string },
): Promise<Iterable<readonly Json[]>> {
  const kinds = accept(file, parse(readJson(file), journeyKinds));
  const groups = groupsOf(kinds);
  requireDistinct(file, groups);
  const most = integerOption('generate', 'most-journeys', options.mostJourneys, 1n, 1000n);
  // Nobody has more, so noise for more would hide nothing.
  const mostJourneys = Math.min(most, groups.length);
  const exact = epsilonOption(epsilon);
  const random = randomFor(options.seed);
  const people = await peopleOf(files, kinds, groups, mostJourneys, random);
  const spent = { epsilon: exact.toString(), mostJourneys, isSeeded: options.seed !== undefined };
  return spentLog(options.ledger, spent, () =>
    syntheticLog(people, kinds, { mostJourneys, epsilon: exact }, random(0)),
  );
}

/** Spends ε with the first line, for which the output is open. */
function* spentLog(
  ledger: string,
  spent: Spend,
  log: () => Iterable<readonly Json[]>,
): Generator<readonly Json[], void, undefined> {
  spendOfLog(ledger, spent);
  yield* log();
}

async function peopleOf(
  files: readonly string[],
  kinds: JourneyKinds,
  groups: readonly (readonly string[])[],
  mostJourneys: number,
  random: ReturnType<typeof randomFor>,
): Promise<readonly (readonly Row[])[]> {
  const profile = profileFor(kinds.columns, groups.map(bucketName));
  const reader = new JourneyReader(kinds.columns, groups, profile);
  const people: (readonly Row[])[] = [];
  for await (const events of eventsOf(files)) {
    const rows = reader.rows(events, kinds, random);
    if (rows.length > 0) people.push(cappedRows(rows, mostJourneys, random(people.length + 1)));
  }
  return people;
}

/** With less, noise would make millions of people. */
const LEAST_EPSILON = Rational.fraction(1n, 1000n);

/** @throws InputError */
function epsilonOption(text: string): ReturnType<typeof epsilonParameter> {
  try {
    const epsilon = epsilonParameter(text);
    if (epsilon.compare(LEAST_EPSILON) >= 0n) return epsilon;
  } catch (error) {
    return refuseOption('generate', error);
  }
  throw new InputError(`generate: --epsilon: must be at least ${LEAST_EPSILON.toNumber()}, was ${text}`);
}

/** @throws InputError */
function requireDistinct(file: string, groups: readonly (readonly string[])[]): void {
  const places = new Map<string, number>();
  for (const [index, group] of groups.entries()) {
    const name = bucketName(group);
    const before = places.get(name);
    if (before !== undefined)
      throw new InputError(
        `${file}: kinds[${index}]: must differ in a column from kinds[${before}], both have ${name}`,
      );
    places.set(name, index);
  }
}
