#!/usr/bin/env node
import { commandsBuiltAlone, ensureBuild, ensureCommands } from '../scripts/build.mjs';
import { exitWith } from '../scripts/console.mjs';

// A reader such as `head` goes away once it has enough.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void exitWith(async () => {
  await ensureCommands();
  // An unknown browser needs no build: the command refuses it at once.
  if (/ --browser[= ](chrome|firefox)( |$)/.test(process.argv.join(' '))) await ensureBuild();
  const args = process.argv.slice(2);
  const alone = commandsBuiltAlone.includes(args[0]) ? `-${args[0]}` : '';
  const { main } = await import(`../dist/node/main${alone}.mjs`);
  return main(args);
});
