import { Command, CommanderError, type ParseOptionsResult } from 'commander';
import { version } from '../package.json';
import type { DefineCommand } from './io/define';
import { InputError } from './io/input';
import { print, say } from './io/terminal';

const NO = 1;
const BAD_INPUT = 2;

interface ListedCommand {
  readonly description: string;
  /** Loads the module, which only this command needs. */
  load(): Promise<{ readonly define: DefineCommand }>;
}

const commands: Readonly<Record<string, ListedCommand>> = {
  replay: {
    description: 'run scenario files through the engine in virtual time',
    load: () => import('./replay/replay'),
  },
  states: {
    description: 'count, decode or encode the states of a source',
    load: () => import('./states/states'),
  },
  validate: {
    description: 'list everything that is wrong with a registration header',
    load: () => import('./validate/validate'),
  },
  estimate: {
    description: 'estimate conversions from noisy reports and a log of sources',
    load: () => import('./estimate/estimate'),
  },
  sample: {
    description:
      'draw from a mechanism and count the outputs; give numbers as decimals or fractions, lists with commas',
    load: () => import('./sample/sample'),
  },
  audit: {
    description: 'test every promise about ε on pairs of worlds that differ in one thing',
    load: () => import('./audit/audit'),
  },
  optimize: {
    description: 'find the summary buckets and report windows of trigger_specs that lose the least',
    load: () => import('./optimize/optimize'),
  },
  aggregate: {
    description: 'make a summary report of aggregatable reports; see docs/aggregate.md',
    load: () => import('./aggregate/aggregate'),
  },
  collect: {
    description: 'receive and store reports, and the log of their sources; see docs/collector.md',
    load: () => import('./collect/collect'),
  },
  simulate: {
    description: 'run the logs of many users through the engine, in parallel',
    load: () => import('./simulate/simulate'),
  },
  shard: {
    description: 'print the shard of users, or split a log into shards',
    load: () => import('./shard/shard'),
  },
  merge: {
    description: 'add up the summaries or statistics of the parts of a log',
    load: () => import('./merge/merge'),
  },
  reach: {
    description: 'count people by how often they saw ads, exactly or with noise; see docs/reach.md',
    load: () => import('./reach/reach'),
  },
  generate: {
    description: 'make up logs of many users, as input for simulate',
    load: () => import('./generate/generate'),
  },
  experiment: {
    description:
      'simulate a grid of settings many times, and measure what each costs; see docs/experiments.md',
    load: () => import('./experiment/experiment'),
  },
  learn: {
    description: 'compare what noise costs a model that is trained on noisy labels or with noisy gradients',
    load: () => import('./learn/learn'),
  },
  notebook: {
    description:
      'write an executable Python notebook for what a run has left in a folder; see docs/python.md',
    load: () => import('./notebook/notebook'),
  },
  trial: {
    description: 'check the configuration of a field trial, and print it with every default filled in',
    load: () => import('./trial/trial'),
  },
};

/** Otherwise commander would complain about a missing option when it is only misspelt. */
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
 * @returns the exit code: 0; 1 for "no" (`validate` and `replay`); 2 for bad input.
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
    // Options after the name of a command belong to that command, even if commands are nested.
    .enablePositionalOptions()
    .version(version)
    .configureOutput({ outputError: (text) => say(inOneLine(text)) })
    .hook('preSubcommand', async (_, command) =>
      (await commands[command.name()]?.load())?.define(command, answer),
    );
  for (const [name, { description }] of Object.entries(commands))
    program.command(name).description(description);
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
