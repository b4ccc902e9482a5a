import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { visible, visibleLines } from './visible.mjs';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Whether npm installed this project as a dependency: then it is built and has its packages. */
export const isDependency = /[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+$/.test(root);

/** An error that a person can fix: shown in one line, without a stack trace. */
export class SetupError extends Error {
  exitCode = 1;
}

/** A mistake in how something was called. */
export class CallError extends SetupError {
  exitCode = 2;
}

/** Prints a line on stderr, because stdout belongs to a command's data. */
export function say(line) {
  process.stderr.write(`cointoss: ${visible(line)}\n`);
}

/** Seconds since `start` (ms since 1970), for people. */
export function elapsed(start) {
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

/** Reports every ten seconds that `work` is still running. */
export async function withHeartbeat(doing, work) {
  const start = Date.now();
  const heartbeat = setInterval(() => say(`still ${doing} (${elapsed(start)})`), 10_000);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
  }
}

/** Like `run`, but sends the program's output to our stderr. */
export function runQuietly(command, args, { env = {}, doing }) {
  return withHeartbeat(doing, () => run(command, args, { env, stdio: ['ignore', 2, 2] }));
}

/** Runs a program in the repository's root, and passes signals on. Resolves to its exit code (128 + n after signal n). */
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

/** Ends the process with the result of `main`; shows a SetupError in one line. */
export async function exitWith(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupError)) {
      // Node would print it as it is, and a message can have a file's text.
      process.stderr.write(`${visibleLines(String(error?.stack ?? error))}\n`);
      process.exit(1);
    }
    say(error.message);
    process.exitCode = error.exitCode;
  }
}
