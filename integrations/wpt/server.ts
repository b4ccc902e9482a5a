import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { generate } from 'selfsigned';

/** The names that the tests use; they lead to this device. */
export const HOSTS = ['', 'www.', 'www1.', 'www2.'].flatMap((subdomain) =>
  ['web-platform.test', 'not-web-platform.test'].map((name) => subdomain + name),
);

/** wptserve with Chromium's `web_tests`, in a process of its own. */
export class TestServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
    readonly exit: Promise<unknown>,
  ) {}

  static async start(webTests: string): Promise<TestServer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-wpt-'));
    const pair = await generate([{ name: 'commonName', value: 'web-platform.test' }]);
    await writeFile(path.join(folder, 'key.pem'), pair.private, { flag: 'wx' });
    await writeFile(path.join(folder, 'cert.pem'), pair.cert, { flag: 'wx' });
    const child = spawn('python3', [path.join(__dirname, 'serve.py'), webTests, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
      // The folder with the tests is somebody else's.
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const exit = once(child, 'exit');
    try {
      return new TestServer(child, folder, await portOf(child, exit), exit);
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  origin(host: string): string {
    return `https://${host}:${this.port}`;
  }

  /** Forgets the requests that a test left to be asked for. */
  async forgetRequests(): Promise<void> {
    const asked = request({
      host: '127.0.0.1',
      port: this.port,
      path: '/attribution-reporting/resources/reporting_origin.py?get-requests=true',
      headers: { Host: `web-platform.test:${this.port}` },
      // The certificate is the one that was just made.
      rejectUnauthorized: false,
      agent: false,
    });
    asked.end();
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
    response.resume();
    await once(response, 'end');
  }

  /** Rejects if the server ended before. */
  async close(): Promise<void> {
    const hasEnded = this.child.exitCode !== null || this.child.signalCode !== null;
    this.child.stdin?.end();
    await this.exit;
    await rm(this.folder, { recursive: true });
    if (hasEnded) throw new Error('python3 ended before the tests did');
  }
}

/** The port that the server prints once it listens. */
async function portOf(child: ChildProcess, exit: Promise<unknown>): Promise<number> {
  const { stdout } = child;
  if (stdout === null) throw new Error('the server has no output');
  const ended = exit.then(() => {
    throw new Error('python3 did not start the server: run "python3 -m pip install wptserve" first');
  });
  const [line] = (await Promise.race([once(createInterface(stdout), 'line'), ended])) as [string];
  const { https } = JSON.parse(line) as { readonly https: readonly number[] };
  const [port] = https;
  if (port === undefined) throw new Error(`the server printed ${line}`);
  return port;
}
