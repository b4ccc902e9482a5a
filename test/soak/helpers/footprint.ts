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

/** The private bytes of the browser's process for the extension. Null where there is no /proc. */
export async function memoryOfBackground(profile: string): Promise<number | null> {
  for (const id of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const of = (file: string): Promise<string> => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
    const isExtension =
      (await of('cmdline')).includes('--extension-process') || (await of('comm')).trim() === 'WebExtensions';
    if (!isExtension || !(await belongsTo(Number(id), profile))) continue;
    const kibibytes = [...(await of('smaps_rollup')).matchAll(/^Private_\w+:\s+(\d+)/gm)].map(([, size]) =>
      Number(size),
    );
    return 1024 * kibibytes.reduce((a, b) => a + b, 0);
  }
  return null;
}

/** Whether a process or one above it was started with this profile. */
async function belongsTo(id: number, profile: string): Promise<boolean> {
  if (id <= 1) return false;
  if ((await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).includes(profile)) return true;
  const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
  return belongsTo(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0), profile);
}
