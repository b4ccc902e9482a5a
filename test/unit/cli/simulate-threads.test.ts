import { main } from '../../../cli/main';
import { useCommands } from '../helpers/command';
import { countThreads } from '../helpers/started-threads';

/* A thread takes longer to start than a short log to simulate, unless a map makes many events of its rows. */

const { pathOf, file } = useCommands();
const started = countThreads();

async function threadsFor(...options: readonly string[]): Promise<number> {
  const before = started();
  const output = ['--output', pathOf('reports.ndjson'), '--threads', '2', '--seed', '1', '--allow-no-effect'];
  expect(await main(['simulate', ...options, ...output])).toBe(0);
  return started() - before;
}

test('a short log starts none', async () => {
  const log = pathOf('log.ndjson');
  expect(await main(['generate', '--users', '3', '--output', log])).toBe(0);
  expect(await threadsFor('--input', log)).toBe(0);
});

test('a short log with a map starts some', async () => {
  const map = {
    user: 'uid',
    events: [
      {
        when: { click: '1' },
        time: 'time',
        event: {
          registration_request: { context_origin: 'https://news.example' },
          responses: [{ url: 'https://ads.example/x', response: {} }],
        },
      },
    ],
  };
  const log = file('log.csv', 'uid,time,click\nu,1700000000,1\n');
  expect(await threadsFor('--input', log, '--map', file('map.json', map), '--unsorted')).toBeGreaterThan(0);
});
