import { Command, CommanderError, type ParseOptionsResult } from 'commander';
import { version } from '../package.json';
import { commandGroups } from './commands';
import type { DefineCommand } from './io/define';
import { InputError } from './io/input';
import { print, say } from './io/terminal';

const NO = 1;
const BAD_INPUT = 2;

/** Commander would first miss an option that is only misspelt. */
class Program extends Command {
  override createCommand(name?: string): Command {
    return new Program(name);
  }

  override parseOptions(argv: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(argv);
    if (parsed.unknown.length > 0) for (const option of this.options) option.makeOptionMandatory(false);
    return parsed;
  }
}

/**
 * Runs the command line. Results go to standard output, everything else to standard error.
 * @returns the exit code: 0; 1 for "no" (`validate`, `replay`, `audit` and `power`); 2 for bad input.
 */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const answer = {
    print,
    sayNo: (): void => void (exitCode = NO),
  };
  const program = new Program('cointoss')
    .description('On-device ad attribution with noisy event-level reports, without a browser')
    .exitOverride()
    // Options after the name of a command are its own, even where commands are nested.
    .enablePositionalOptions()
    .version(version)
    .configureOutput({ outputError: (text) => say(inOneLine(text)) })
    .hook('preSubcommand', async (_, command) => (await loaders.get(command)?.())?.define(command, answer));
  const loaders = addCommands(program);
  try {
    await program.parseAsync(withHelpAsOption(argv), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_INPUT;
    if (!(error instanceof InputError)) throw error;
    say(error.message);
    return BAD_INPUT;
  }
  return exitCode;
}

type Loader = () => Promise<{ readonly define: DefineCommand }>;

/** Lists the commands. @returns what each is defined by, once it is called */
function addCommands(program: Command): ReadonlyMap<Command, Loader> {
  const loaders = new Map<Command, Loader>();
  for (const [group, commands] of Object.entries(commandGroups))
    for (const [name, { description, examples, load }] of Object.entries(commands)) {
      const command = program.command(name).description(description).helpGroup(group);
      command.addHelpText(
        'after',
        `\nExamples:\n${examples.map((call) => `  npx cointoss ${call}\n`).join('')}`,
      );
      loaders.set(command, load);
    }
  return loaders;
}

/** `cointoss help estimate` would show the command without loading its module. */
const withHelpAsOption = (argv: readonly string[]): string[] => {
  const [first, command, ...rest] = argv;
  return first === 'help' && command !== undefined ? [command, ...rest, '--help'] : [...argv];
};

/** Puts commander's error messages in the form that our commands use. */
function inOneLine(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .split('\n')
    .map((part) => part.trim())
    .join(' ');
  const isUnknown = line.startsWith("unknown command '") && line.endsWith("'");
  return `${line}${isUnknown ? ' (--help lists them)' : ''}`;
}
