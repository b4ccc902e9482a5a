import ensureCommands from '../setup.mjs';
import { Databases } from './databases.mjs';

export default async function () {
  await ensureCommands();
  globalThis.databases = new Databases();
  process.env.COINTOSS_DATABASES = await globalThis.databases.open();
}
