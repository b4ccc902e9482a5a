import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const inside = path.join(folder, entry.name);
    // A file may be gone by now.
    return entry.isDirectory() ? sizeOfFolder(inside) : (await stat(inside).catch(() => ({ size: 0 }))).size;
  });
  return (await Promise.all(sizes)).reduce((a, b) => a + b, 0);
}

/** The bytes of the databases of all extensions in a profile; there is only this one. */
export async function sizeOfDatabases(profile: string): Promise<number> {
  const entries = await readdir(profile, { recursive: true, withFileTypes: true });
  const folders = entries.filter(
    (entry) => entry.isDirectory() && /^(chrome-extension_|moz-extension\+)/.test(entry.name),
  );
  const sizes = await Promise.all(
    folders.map(({ parentPath, name }) => sizeOfFolder(path.join(parentPath, name))),
  );
  return sizes.reduce((a, b) => a + b, 0);
}

const ofProcess = (id: number, file: string): Promise<string> =>
  readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');

/** The browser's process for the extension. Null where there is no /proc. */
export async function processOfExtension(profile: string): Promise<number | null> {
  for (const name of (await readdir('/proc').catch(() => [])).filter((one) => /^\d+$/.test(one))) {
    const id = Number(name);
    const isExtension =
      (await ofProcess(id, 'cmdline')).includes('--extension-process') ||
      (await ofProcess(id, 'comm')).trim() === 'WebExtensions';
    if (isExtension && (await belongsTo(id, profile))) return id;
  }
  return null;
}

/** The private bytes of the browser's process for the extension. Null where there is no /proc. */
export async function memoryOfBackground(profile: string): Promise<number | null> {
  const id = await processOfExtension(profile);
  if (id === null) return null;
  const rows = await ofProcess(id, 'smaps_rollup');
  const kibibytes = [...rows.matchAll(/^Private_\w+:\s+(\d+)/gm)].map(([, size]) => Number(size));
  return 1024 * kibibytes.reduce((a, b) => a + b, 0);
}

/** Whether a process or one above it was started with this profile. */
async function belongsTo(id: number, profile: string): Promise<boolean> {
  if (id <= 1) return false;
  if ((await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).includes(profile)) return true;
  const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
  return belongsTo(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0), profile);
}
