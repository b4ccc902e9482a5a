#!/usr/bin/env node
import { ensureBuild, ensureCommands } from '../scripts/build.mjs';
import { exitWith } from '../scripts/console.mjs';

void exitWith(async () => {
  await ensureCommands();
  if (process.argv.some((argument) => argument.startsWith('--browser'))) await ensureBuild();
  const { main } = await import('../dist/node/main.mjs');
  return main(process.argv.slice(2));
});
