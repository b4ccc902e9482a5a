/**
 * Checks that a version can be published, also by `npm run soak`, and makes its packages. With `--publish` it leaves the soak out and publishes
 * the packages to npm, with provenance, which needs a CI that npm trusts; `--publish --without-provenance` is for a registry of one's own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitWith, root, run, say, SetupError } from './console.mjs';
import { npm, runScript } from './packages.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const project = JSON.parse(read('package.json'));

/** How npm publishes, by our arguments; null: it only says what it would do. */
const ways = new Map([
  ['', null],
  ['--publish', '--provenance'],
  ['--publish --without-provenance', '--provenance=false'],
]);

/** What keeps this version from being published. */
function problems(how) {
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
  if (how === '--provenance') found.push(...provenanceProblems(repository));
  return found;
}

/** npm says so, too, but only once everything is tested. */
function* provenanceProblems(repository) {
  if (repository === undefined) yield 'package.json has no "repository", which provenance refers to';
  // As GitHub and GitLab give it to jobs that may have one.
  if (!process.env.ACTIONS_ID_TOKEN_REQUEST_URL && !process.env.SIGSTORE_ID_TOKEN)
    yield 'there is no identity of a CI job, which provenance needs (else --publish --without-provenance)';
}

async function main() {
  const how = ways.get(process.argv.slice(2).join(' '));
  if (how === undefined) {
    process.stderr.write('usage: npm run release -- [--publish [--without-provenance]]\n');
    return 2;
  }
  const found = problems(how);
  if (found.length > 0) throw new SetupError(found.join('\ncointoss: '));
  // `npm test` builds and packs, too.
  const checks = [['test'], ...['docs', 'web-ext', 'spark'].map((name) => ['test', '--only', name])];
  // Nothing else runs it. It takes hours, and measures what a loaded CI would change.
  if (how === null) checks.push(['soak']);
  for (const [script, ...options] of checks)
    if ((await runScript(script, ...options)) !== 0)
      throw new SetupError(`${['npm run', script, ...options].join(' ')} failed; nothing was published.`);
  const tarballs = ['@cointoss/engine', '@cointoss/puppeteer', '@cointoss/collector', 'cointoss'].map(
    tarballOf,
  );
  if (how !== null) return publish(tarballs, how);
  tarballs.forEach(tryOne);
  say('nothing was published: that takes "npm run release -- --publish"');
  return 0;
}

const tarballOf = (name) => ({
  id: `${name}@${project.version}`,
  file: path.join('dist', 'npm', `${name.replace('@', '').replace('/', '-')}-${project.version}.tgz`),
});

/** What an earlier run that stopped half-way has published is left as it is. */
async function publish(tarballs, how) {
  const missing = tarballs.filter((tarball) => !isPublished(tarball));
  for (const { id, file } of missing) {
    if ((await run(...publication(file, how))) !== 0) throw new SetupError(`${file} was not published.`);
    say(`${id} is published`);
  }
  return 0;
}

/** @throws SetupError when the registry has other content under this version. */
function isPublished({ id, file }) {
  const [command, ...args] = npm();
  // npm would explain at length that what nobody has published is not there.
  const view = ['view', id, 'dist.integrity', '--json', '--silent'];
  const { status, stdout } = spawnSync(command, [...args, ...view], { cwd: root, encoding: 'utf8' });
  const answer = stdout.trim() === '' ? null : JSON.parse(stdout);
  if (status !== 0 && answer?.error?.code !== 'E404')
    throw new SetupError(
      `the registry does not say whether it has ${id} (${answer?.error?.summary ?? 'no answer'}); nothing was published.`,
    );
  if (status !== 0 || answer === null) return false;
  const hash = createHash('sha512').update(readFileSync(path.join(root, file)));
  if (answer !== `sha512-${hash.digest('base64')}`)
    throw new SetupError(`${id} is already published, with other content; nothing was published.`);
  say(`${id} is already published`);
  return true;
}

function publication(file, ...how) {
  const [command, ...args] = npm();
  return [command, [...args, 'publish', `./${file}`, ...how, '--access', 'public']];
}

/** Lets npm check a tarball, and says what it would publish. */
function tryOne({ file }) {
  const [command, args] = publication(file, '--dry-run', '--json');
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, stdout } = spawnSync(command, args, options);
  if (status !== 0) throw new SetupError(`npm would not publish ${file}.`);
  const [{ id, size, files }] = Object.values(JSON.parse(stdout));
  say(`${file} would be published as ${id}: ${files.length} files, ${(size / 1e6).toFixed(1)} MB`);
}

void exitWith(main);
