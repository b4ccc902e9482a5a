import { ensureCommands } from '../scripts/build.mjs';
import { useOracles } from '../scripts/oracles.mjs';

export default async function () {
  await ensureCommands();
  useOracles();
}
