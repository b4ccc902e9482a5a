#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { ensureBuild } from '../scripts/build.mjs';
import { exitWith } from '../scripts/console.mjs';
import { ensurePackages } from '../scripts/setup.mjs';

void exitWith(async () => {
  await ensurePackages();
  if (process.argv.some((argument) => argument.startsWith('--browser'))) await ensureBuild();
  const tsx = await import('tsx/cjs/api');
  const { main } = tsx.require(fileURLToPath(new URL('./main.ts', import.meta.url)), import.meta.url);
  return main(process.argv.slice(2));
});
