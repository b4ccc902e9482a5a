export { ensureCommands as default } from '../scripts/build.mjs';
