import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Whether npm put this project here for another one: built, and with its packages. */
export const isDependency = path.basename(path.dirname(root)) === 'node_modules';

/** Something a person can put right: shown as one line, without a stack trace. */
export class SetupError extends Error {}

/** One line on stderr; stdout belongs to the data a command prints. */
export function say(line) {
  process.stderr.write(`cointoss: ${line}\n`);
}

/** Seconds since `start` (ms since the epoch), for people. */
export function elapsed(start) {
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

/** Says every ten seconds that `work` is still going on: whoever waits should not wonder. */
export async function withHeartbeat(doing, work) {
  const start = Date.now();
  const heartbeat = setInterval(() => say(`still ${doing} (${elapsed(start)})`), 10_000);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}

/** As `run`, with its output on our stderr. */
export function runQuietly(command, args, { env = {}, doing }) {
  return withHeartbeat(doing, () => run(command, args, { env, stdio: ['ignore', 2, 2] }));
}

/** Runs a program in the repository's root, passing signals on. Resolves to its exit code (128 + n after signal n). */
export function run(command, args, { env = {}, stdio = 'inherit' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio });
    const forward = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    const done = () => signals.forEach((signal) => process.off(signal, forward));
    child.on('error', (error) => (done(), reject(error)));
    child.on('exit', (code, signal) => (done(), resolve(code ?? 128 + constants.signals[signal])));
  });
}

/** Ends the process with what `main` resolves to; a SetupError is shown as one line. */
export async function exitWith(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
