import { require as load } from 'tsx/cjs/api';
import ensureCommands from '../setup.mjs';

export default async function () {
  await ensureCommands();
  const { BrowserPool } = load('./helpers/browser-pool.ts', import.meta.url);
  globalThis.browserPool = new BrowserPool();
  process.env.COINTOSS_BROWSER_POOL = await globalThis.browserPool.open();
}
