import { readFileSync } from 'node:fs';
import { main } from '../../../cli/main';
import type { JsonObject } from '../../../src/model/json';
import { useCommands } from '../helpers/command';

const { err, pathOf } = useCommands();

async function generated(...options: readonly string[]): Promise<JsonObject[]> {
  const output = pathOf('log.ndjson');
  expect(await main(['generate', '--demo', '--users', '6', '--output', output, ...options])).toBe(0);
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

test('one device can stand for several people, who do the same as on their own', async () => {
  const people = await generated();
  const together = await generated('--people-per-device', '4');
  const names = [...new Set(people.map(({ user }) => user))];
  expect(names).toHaveLength(6);
  expect(together).toEqual(
    people.map((line) => ({
      ...line,
      user: names.indexOf(line['user'] ?? '') < 4 ? 'device-0' : 'device-1',
    })),
  );
});

test.each(['0', '-1', '1.5', 'x'])('refuses %s people on a device', async (count) => {
  expect(await main(['generate', '--users', '6', '--people-per-device', count])).toBe(2);
  expect(err.join('')).toMatch(/^cointoss: generate: --people-per-device/);
});
