import { lockFile } from '../../../scripts/lock.mjs';

/** A process that claims the file it is sent, releases it on null, and answers with the outcome. */
let unlock: (() => Promise<void>) | null = null;

async function claim(file: string): Promise<string> {
  try {
    unlock = await lockFile(file);
    return unlock === null ? 'refused' : 'owner';
  } catch (error) {
    return String(error);
  }
}

async function giveBack(): Promise<string> {
  await unlock?.();
  unlock = null;
  return 'given back';
}

process.on('message', ({ file }: { readonly file: string | null }) => {
  void (file === null ? giveBack() : claim(file)).then((answer) => process.send?.(answer));
});
