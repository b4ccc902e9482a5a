import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { main } from '../../../cli/main';
import { root } from '../../../node/root';

/*
 * The files with which the runbook starts a collector. Docker and systemd are not here, so these tests read the files as they do, and run the
 * collector's own command.
 */

const FOLDER = path.join(root, 'integrations/collector');
const textOf = (file: string): string => readFileSync(path.join(FOLDER, file), 'utf8');

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const compose = parse(textOf('compose.yaml')) as Compose;
const services = Object.entries(compose.services);

/** What the command says when its file of a token is missing: by then it has accepted all options. */
async function said(args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const write = jest
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    expect(await main(args)).toBe(2);
    return lines.join('');
  } finally {
    write.mockRestore();
  }
}

test('the collector accepts the options of compose.yaml', async () => {
  const { command = [] } = compose.services['collector'] ?? {};
  expect(await said(command)).toMatch(/\/run\/secrets\/token/);
  expect(await said([...command, '--stores=x'])).toMatch(/unknown option '--stores/);
});

test('the collector accepts the options of the systemd unit', async () => {
  const unit = textOf('cointoss-collector.service').replaceAll('\\\n', ' ');
  const [, program = '', options = ''] = /^ExecStart=(.*?cointoss\.mjs) (.*)$/m.exec(unit) ?? [];
  expect(program).toBe('/usr/bin/node /opt/cointoss/cli/cointoss.mjs');
  const args = options
    .trim()
    .split(/\s+/)
    .map((arg) => arg.replace(/^%[dS]/, '/nowhere'));
  expect(await said(args)).toMatch(/\/nowhere\/token/);
});

test.each(services)('the service %s of compose.yaml names only what the file has', (_, service) => {
  const { command = [], environment = {}, secrets, volumes = [], depends_on: needs = {} } = service;
  expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]));
  const mounted = [...command, ...Object.values(environment)].flatMap((text) =>
    [...text.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, name = '']) => name),
  );
  expect(mounted.length).toBeGreaterThan(0);
  expect([...mounted].sort()).toEqual([...secrets].sort());
  for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  for (const [name, { condition }] of Object.entries(needs)) {
    expect(condition).toBe('service_healthy');
    expect(compose.services[name]?.healthcheck?.test[0]).toBe('CMD');
  }
});

test('the store of compose.yaml is the database beside the collector, and its port leads to the collector', () => {
  const { command = [], ports } = compose.services['collector'] ?? {};
  const value = (option: string): string =>
    command.find((text) => text.startsWith(`--${option}=`))?.slice(option.length + 3) ?? '';
  const { username, hostname, pathname } = new URL(value('store'));
  const { POSTGRES_USER: user, POSTGRES_DB: name } = compose.services[hostname]?.environment ?? {};
  expect([username, pathname]).toEqual([user, `/${name}`]);
  expect(ports).toEqual([`127.0.0.1:8090:${value('port')}`]);
});

test('the secrets of compose.yaml are those that the runbook makes', () => {
  const runbook = readFileSync(path.join(root, 'docs/runbook.md'), 'utf8');
  const [, made = ''] = /for secret in ([^;]+);/.exec(runbook) ?? [];
  const files = Object.values(compose.secrets).map(({ file }) => path.basename(file));
  expect(files.sort()).toEqual([...made.split(' '), 'pgpass'].sort());
});

test('the image of compose.yaml has the program that it starts', () => {
  const { context = '', dockerfile = '' } = compose.services['collector']?.build ?? {};
  const file = path.join(FOLDER, context, dockerfile);
  expect(existsSync(file)).toBe(true);
  const [, program = ''] =
    /ENTRYPOINT \["node", "node_modules\/cointoss\/(.*)"\]/.exec(readFileSync(file, 'utf8')) ?? [];
  expect(existsSync(path.join(root, program))).toBe(true);
});
