import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { version } from '../package.json';
import type { SourceType } from '../src/model/limits';
import { addEstimateCommand } from './estimate';
import { addCollectCommand } from './collect';
import { addGenerateCommand } from './generate';
import { InputError } from './input';
import { addOptimizeCommand } from './optimize';
import { replayCommand, type ReplayCommandOptions } from './replay';
import { addSampleCommand } from './sample';
import { addSimulateCommand } from './simulate';
import { statesCommand, type StatesCommandOptions } from './states';
import { addTrialCommand } from './trial';
import { validateCommand, type ValidateCommandOptions } from './validate';

const INVALID = 1;
const BAD_INPUT = 2;

/**
 * The command line. What was asked for goes to standard output, everything else to standard error.
 * @returns the exit code: 0, 1 for "no" (as `validate` and `replay` may say), 2 for bad input.
 */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const program = new Command('cointoss')
    .description('On-device ad attribution with noisy event-level reports, without a browser')
    .exitOverride()
    .version(version)
    .configureOutput({ outputError: (text, write) => write(inOneLine(text)) });

  program
    .command('replay')
    .description('run scenario files through the engine in virtual time')
    .argument('<file...>', 'scenario files')
    .option(
      '--config <file>',
      "limits that the files' api_config overrides; else default_config.json beside a file, else Chromium's",
    )
    .option('--noise', 'noise the sources for which the scenario does not force an outcome')
    .option('--seed <seed>', 'make the noise and the report ids repeatable')
    .addOption(
      new Option('--browser <browser>', 'through the extension in a real browser').choices([
        'chrome',
        'firefox',
      ]),
    )
    .action(async (files: string[], options: ReplayCommandOptions) => {
      if (!(await replayCommand(files, options, print))) exitCode = INVALID;
    });

  program
    .command('states')
    .description('count, decode or encode the states of a source')
    .argument('<file>', 'a source registration (JSON), or - for standard input')
    .addOption(sourceTypeOption().makeOptionMandatory())
    .addOption(
      new Option('--epsilon <epsilon>', 'instead of event_level_epsilon')
        .argParser(epsilon)
        .conflicts(['decode', 'encode']),
    )
    .addOption(new Option('--decode <state>', 'print the reports of a state').conflicts('encode'))
    .option('--encode <file>', 'print the state of a list of reports')
    .action((file: string, options: StatesCommandOptions) =>
      print(JSON.stringify(statesCommand(file, options))),
    );

  program
    .command('validate')
    .description('say everything that is wrong with a registration header')
    .argument('<file>', 'the value of the header, or - for standard input')
    .option('--source', 'it is Attribution-Reporting-Register-Source')
    .option('--trigger', 'it is Attribution-Reporting-Register-Trigger')
    .addOption(sourceTypeOption().conflicts('trigger'))
    .action((file: string, options: ValidateCommandOptions) => {
      const { valid, result } = validateCommand(file, options);
      print(JSON.stringify(result));
      if (!valid) exitCode = INVALID;
    });

  addEstimateCommand(program, print);
  addSampleCommand(program, print);
  addOptimizeCommand(program, print);
  addCollectCommand(program);
  addSimulateCommand(program);
  addGenerateCommand(program);
  addTrialCommand(program, print);

  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_INPUT;
    if (!(error instanceof InputError)) throw error;
    process.stderr.write(`cointoss: ${error.message}\n`);
    return BAD_INPUT;
  }
  return exitCode;
}

/** What commander says of a mistake, as the commands themselves say it. */
const inOneLine = (text: string): string =>
  `${text
    .trim()
    .replace(/^error: /, 'cointoss: ')
    .replace(/\s*\n\s*/g, ' ')}\n`;

const sourceTypeOption = (): Option =>
  new Option('--source-type <type>', 'the type of the source').choices([
    'navigation',
    'event',
  ] satisfies SourceType[]);

function epsilon(text: string): number {
  const value = text === '' ? NaN : Number(text);
  if (!(value >= 0 && value < Infinity))
    throw new InvalidArgumentError('must be a finite number of at least 0.');
  return value;
}
