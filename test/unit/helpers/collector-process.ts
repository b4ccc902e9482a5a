import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const cli = path.resolve(__dirname, '../../../cli/cointoss.mjs');

/** `npx cointoss collect` in its own process. */
export interface CollectorProcess {
  readonly origin: string;
  /** Resolves to the exit code; null when the signal ended it. What has ended stays so. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Rejects with the text on standard error when it does not start.
 * @param command another installation's.
 */
export async function startCollectorProcess(
  store: string,
  options: readonly string[] = ['--rate-limit', '1000000'],
  command = cli,
): Promise<CollectorProcess> {
  // As in test/environment.js: PGlite then starts in half of the processor time.
  const args = ['--liftoff-only', command, 'collect', '--port', '0', '--store', store, ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const origin = await listening(child);
  return {
    origin,
    async end(signal) {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, origin] = /the collector listens at (\S+)/.exec(said) ?? [];
      if (origin !== undefined) resolve(origin);
    });
    child.once('exit', () => reject(new Error(`the collector did not start: ${said}`)));
  });
}
