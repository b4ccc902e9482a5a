#!/usr/bin/env node
import { ensureBuild, ensureCommands } from '../scripts/build.mjs';
import { exitWith } from '../scripts/console.mjs';

// A reader such as `head` goes away once it has enough.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void exitWith(async () => {
  await ensureCommands();
  if (process.argv.some((argument) => argument.startsWith('--browser'))) await ensureBuild();
  const { main } = await import('../dist/node/main.mjs');
  return main(process.argv.slice(2));
});
