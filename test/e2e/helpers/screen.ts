import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** Xvfb is a virtual screen. */
export const hasXvfb = !spawnSync('Xvfb', ['-version']).error;

/** Provides a screen for all browsers with a window in this test file. */
export function useScreen(): void {
  const before = process.env['DISPLAY'];
  let xvfb: ChildProcess;

  beforeAll(async () => {
    // Xvfb chooses a free number, and writes it to file descriptor 3 once it accepts windows.
    const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
    xvfb = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const [number] = (await once(xvfb.stdio[3] as Readable, 'data')) as [Buffer];
    process.env['DISPLAY'] = `:${number.toString().trim()}`;
  });

  afterAll(async () => {
    const ended = once(xvfb, 'exit');
    xvfb.kill();
    await ended;
    if (before === undefined) delete process.env['DISPLAY'];
    else process.env['DISPLAY'] = before;
  });
}
