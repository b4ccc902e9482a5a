import { Option } from 'commander';
import { redrawnDuring, type DrawnByDevices } from '../../analysis/simulation/lift-test';
import { madeUpUser, type MadeUpLog } from '../../analysis/simulation/made-up-user';
import type { Json, JsonObject } from '../../src/model/json';
import { compressionOf, compressor } from '../io/compression';
import type { DefineCommand } from '../io/define';
import { InputError, integerOption } from '../io/input';
import { jsonBytes } from '../io/json-bytes';
import { liftOptions, refuseWithoutLift } from '../io/lift-options';
import { openOutput } from '../io/output';
import { readSettings } from '../io/settings-file';
import { refuseTable } from '../io/table-name';
import { madeLike, type LikeOptions } from './like';

interface GenerateOptions extends Omit<LikeOptions, 'like'> {
  readonly users?: string;
  readonly like?: readonly string[];
  readonly demo?: boolean;
  readonly lift?: string;
  readonly holdout: string;
  readonly rate: string;
  readonly settings?: string;
  readonly peoplePerDevice?: string;
}

const WRITTEN_CHARACTERS = 1 << 20;

/** `cointoss generate`: makes up a log for `simulate`. The same seed gives the same log. */
export const define: DefineCommand = (command) => {
  command
    .option('--users <count>', 'number of users')
    .option(
      '--seed <seed>',
      'another seed makes another log; 0 by default, and with --like none, for real noise',
    )
    .option('--demo', 'a month of eight campaigns of one ad server, as in the demo of collect')
    .addOption(
      new Option(
        '--lift <share>',
        'a lift test of one campaign, whose ads make this share more people convert: 0.2',
      ).conflicts('demo'),
    )
    .option('--holdout <share>', 'with --lift: the share of the people who are held out', '0.5')
    .option('--rate <share>', 'with --lift: the share of the people who convert without the ads', '0.05')
    .addOption(
      new Option(
        '--settings <file>',
        'with --lift: devices draw the arms, as simulate does with these settings and the same --seed',
      ).conflicts(['holdout', 'peoplePerDevice']),
    )
    .option(
      '--people-per-device <count>',
      'put this number of users on one device, which appears as one user; read the log with --unsorted',
    )
    .addOption(
      new Option(
        '--like <files...>',
        'a synthetic log with the statistics of this log, and ε-privacy for each person in it',
      ).conflicts(['users', 'demo', 'lift', 'settings', 'peoplePerDevice']),
    )
    .option(
      '--columns <keys>',
      'with --like: keys of filter data, or source_type, whose values tell kinds of sources apart; writes these kinds, which are public',
    )
    .option('--kinds <file>', 'with --like: these kinds; writes the synthetic log')
    .option('--epsilon <epsilon>', 'with --kinds: ε for everything that one person did')
    .option('--most-journeys <count>', 'with --kinds: so many kinds of sources of a person count', '4')
    .option('--ledger <file>', 'with --kinds: keeps what each synthetic log spent; by default LOG.ledger')
    .option(
      '--output <file>',
      'the file to write, or - for standard output; .gz and .zst are compressed',
      '-',
    )
    .action((options: GenerateOptions) => {
      const isGiven = (option: string): boolean => command.getOptionValueSource(option) === 'cli';
      if (options.like !== undefined) {
        refuseWithLike(options.kinds === undefined, isGiven);
        return like({ ...options, like: options.like });
      }
      const name = OF_LIKE.find((option) => isGiven(option));
      if (name !== undefined) throw new InputError(`generate: ${asWritten(name)}: must come with --like`);
      if (options.lift === undefined) refuseWithoutLift('generate', command, ['holdout', 'rate', 'settings']);
      return generate(options);
    });
};

/** Of `--like` alone. */
const OF_LIKE = ['columns', 'kinds', 'epsilon', 'mostJourneys', 'ledger'];
/** Of `--kinds`, which draws noise and spends ε; `--columns` does neither. */
const OF_KINDS = ['ledger', 'seed', 'mostJourneys', 'epsilon'];

const asWritten = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** @throws InputError for options that would do nothing with `--like`, or without `--kinds` */
function refuseWithLike(isWithoutKinds: boolean, isGiven: (option: string) => boolean): void {
  const ofLift = ['holdout', 'rate'].find(isGiven);
  if (ofLift !== undefined)
    throw new InputError(`generate: ${asWritten(ofLift)}: must not come with --like; it belongs to --lift`);
  const ofKinds = isWithoutKinds ? OF_KINDS.find(isGiven) : undefined;
  if (ofKinds !== undefined)
    throw new InputError(`generate: ${asWritten(ofKinds)}: must come with --kinds: --columns draws no noise`);
}

/** @throws InputError */
function madeUpLog(
  { demo = false, lift, holdout, rate }: GenerateOptions,
  devices: DrawnByDevices | null,
): MadeUpLog {
  if (lift === undefined) return { demo, liftTest: null };
  const share = devices === null ? holdout : String(devices.liftTest.holdout);
  return { demo, liftTest: liftOptions('generate', { lift, rate, holdout: share }) };
}

/** @throws InputError */
function drawnByDevices(file: string): DrawnByDevices {
  const { liftTest, budget } = readSettings(file);
  if (liftTest === null)
    throw new InputError(
      `${file}: liftTest: must be a lift test, so that devices draw the arms; there is none`,
    );
  const redrawn = redrawnDuring(budget);
  if (redrawn !== null)
    throw new InputError(
      `${file}: budget.period: must have all of the made-up test in one period; one of ${budget.period} days ends on ${new Date(redrawn).toISOString()}`,
    );
  return { liftTest, budget };
}

async function generate(options: GenerateOptions): Promise<void> {
  const { users, seed = '0', settings, peoplePerDevice, output } = options;
  if (users === undefined) throw new InputError('generate: must have --users, or --like');
  const count = integerOption('generate', 'users', users, 1n, 999_999_999n);
  const people =
    peoplePerDevice === undefined
      ? null
      : integerOption('generate', 'people-per-device', peoplePerDevice, 1n, 999_999_999n);
  const devices = settings === undefined ? null : drawnByDevices(settings);
  const log = madeUpLog(options, devices);
  await writeLog(output, madeUpPeople({ seed, count, perDevice: people }, log, devices));
}

interface MadeUpPeople {
  readonly seed: string;
  readonly count: number;
  /** Null: each has a device. */
  readonly perDevice: number | null;
}

function* madeUpPeople(
  { seed, count, perDevice }: MadeUpPeople,
  log: MadeUpLog,
  devices: DrawnByDevices | null,
): Generator<readonly Json[], void, undefined> {
  for (let number = 0; number < count; number++) {
    const device = perDevice === null ? {} : { user: `device-${Math.floor(number / perDevice)}` };
    yield madeUpUser(seed, number, log, devices).map((line) => ({ ...(line as JsonObject), ...device }));
  }
}

async function like(options: LikeOptions): Promise<void> {
  const made = await madeLike(options);
  if ('people' in made) await writeLog(options.output, made.people);
  else await writeLog(options.output, [[made.document]]);
}

/** @param people the lines of each */
async function writeLog(output: string, people: Iterable<readonly Json[]>): Promise<void> {
  refuseTable(output);
  const file = openOutput(output);
  const compress = await compressor(output === '-' ? 'none' : compressionOf(output));
  let text = '';
  try {
    for (const lines of people) {
      for (const line of lines) text += `${JSON.stringify(line)}\n`;
      if (text.length < WRITTEN_CHARACTERS) continue;
      await file.append(compress(jsonBytes(text)));
      text = '';
    }
    await file.append(compress(jsonBytes(text)));
    await file.finish();
  } finally {
    await file.close();
  }
}
