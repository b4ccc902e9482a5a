import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import description from '../../../package.json';
import { root } from '../../../node/root';

const run = promisify(execFile);
const tarball = (name: string): string => path.join(root, 'dist/npm', `${name}-${description.version}.tgz`);

/** A stranger's folder. What the packages depend on is found in the folder above, so that nothing is downloaded. */
export class Project {
  private constructor(readonly folder: string) {}

  static async empty(): Promise<Project> {
    const data = path.join(root, '.data');
    await mkdir(data, { recursive: true });
    const project = new Project(await mkdtemp(path.join(data, 'npm-')));
    await project.write('package.json', '{ "private": true }');
    return project;
  }

  /** Installs packages that depend on nothing else, as `npm install` does. */
  async install(...names: readonly string[]): Promise<void> {
    const options = ['--offline', '--legacy-peer-deps', '--no-audit', '--no-fund'];
    await this.run('npm', 'install', ...options, ...names.map(tarball));
  }

  /** Puts a package where `npm install` would. */
  async unpack(name: string, file = name): Promise<void> {
    const target = this.path('node_modules', name);
    await mkdir(target, { recursive: true });
    await this.run('tar', '-xzf', tarball(file), '--strip-components=1', '-C', target);
  }

  path(...names: readonly string[]): string {
    return path.join(this.folder, ...names);
  }

  write(name: string, content: string): Promise<void> {
    return writeFile(this.path(name), content);
  }

  /** Resolves to what the program prints; rejects with its messages when it fails. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await run(program, args, { cwd: this.folder, maxBuffer: 1 << 26 });
    return stdout;
  }

  node(...args: readonly string[]): Promise<string> {
    return this.run(process.execPath, ...args);
  }

  /** `npx cointoss …`, once `unpack('cointoss')` has resolved. */
  cointoss(...args: readonly string[]): Promise<string> {
    return this.node('node_modules/cointoss/cli/cointoss.mjs', ...args);
  }

  /** The bytes of all files in a folder. */
  async bytes(...names: readonly string[]): Promise<number> {
    const files = await readdir(this.path(...names), { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => stat(path.join(file.parentPath, file.name))),
    );
    return sizes.reduce((sum, { size }) => sum + size, 0);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
