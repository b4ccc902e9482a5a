/**
 * Checks that a version can be published, and makes its packages. With `--publish` it also publishes them to npm, with provenance, which
 * needs a CI that npm trusts.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitWith, root, run, say, SetupError } from './console.mjs';
import { npm, runScript } from './packages.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const project = JSON.parse(read('package.json'));

/** What keeps this version from being published. */
function problems(publish) {
  const { version, repository } = project;
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const found = [];
  if (git('status', '--porcelain') !== '') found.push('there are changes that are not committed');
  const isTagged = git('tag', '--list', `v${version}`) !== '';
  if (isTagged && git('rev-list', '-n1', `v${version}`) !== git('rev-parse', 'HEAD'))
    found.push(`the tag v${version} names another commit`);
  if (JSON.parse(read('package-lock.json')).version !== version)
    found.push(`package-lock.json does not have the version ${version}: run npm install`);
  if (!read('integrations/python/pyproject.toml').includes(`\nversion = "${version}"\n`))
    found.push(`integrations/python/pyproject.toml does not have the version ${version}`);
  if (JSON.parse(read('manifest.json')).version !== version)
    found.push(`manifest.json does not have the version ${version} of package.json`);
  if (!read('docs/changelog.md').includes(`\n## ${version}\n`))
    found.push(`docs/changelog.md has no section "## ${version}"`);
  if (publish && repository === undefined)
    found.push('package.json has no "repository", which provenance refers to');
  return found;
}

async function main() {
  const args = process.argv.slice(2);
  const publish = args[0] === '--publish';
  if (args.length > (publish ? 1 : 0)) {
    process.stderr.write('usage: npm run release -- [--publish]\n');
    return 2;
  }
  const found = problems(publish);
  if (found.length > 0) throw new SetupError(found.join('\ncointoss: '));
  // It builds and packs, too.
  const code = await runScript('test');
  if (code !== 0) throw new SetupError('npm test failed; nothing was published.');
  for (const name of ['cointoss-engine', 'cointoss-puppeteer', 'cointoss-collector', 'cointoss']) {
    const tarball = path.join('dist', 'npm', `${name}-${project.version}.tgz`);
    if (publish) await publishOne(tarball);
    else tryOne(tarball);
  }
  if (!publish) say('nothing was published: that takes "npm run release -- --publish"');
  return 0;
}

const publication = (tarball, how) => {
  const [command, ...args] = npm();
  return [command, [...args, 'publish', `./${tarball}`, how, '--access', 'public']];
};

async function publishOne(tarball) {
  if ((await run(...publication(tarball, '--provenance'))) !== 0)
    throw new SetupError(`${tarball} was not published.`);
}

/** Lets npm check a tarball, and says what it would publish. */
function tryOne(tarball) {
  const [command, args] = publication(tarball, '--dry-run');
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, stdout } = spawnSync(command, [...args, '--json'], options);
  if (status !== 0) throw new SetupError(`npm would not publish ${tarball}.`);
  const [{ id, size, files }] = Object.values(JSON.parse(stdout));
  say(`${tarball} would be published as ${id}: ${files.length} files, ${(size / 1e6).toFixed(1)} MB`);
}

void exitWith(main);
