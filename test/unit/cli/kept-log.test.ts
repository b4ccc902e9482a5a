import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SourceFields } from '../../../analysis/experiment/grid';
import type { ScenarioEvent } from '../../../analysis/scenario/scenario';
import { madeUpUser } from '../../../analysis/simulation/made-up-user';
import { ExperimentLog } from '../../../cli/experiment/kept-log';

const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-kept-log-'));
const file = path.join(folder, 'log.ndjson');

beforeAll(() => {
  const lines = [0, 1, 2].flatMap((user) => madeUpUser('kept', user, { demo: false, liftTest: null }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Of a cell in which sources have this ε. */
function fieldsWith(epsilon: number): SourceFields {
  const fields = new Map([['event_level_epsilon', epsilon]]);
  return { navigation: fields, event: fields };
}

async function eventsIn(log: ExperimentLog, fields: SourceFields): Promise<readonly ScenarioEvent[]> {
  const found: ScenarioEvent[] = [];
  for await (const { events } of log.users(null, fields)) found.push(...events);
  return found;
}

test('an experiment changes the sources of its log once for each cell, whose runs come in turn', async () => {
  const log = new ExperimentLog(file);
  const cells = [1, 3, 8].map(fieldsWith);
  for (const fields of cells) await eventsIn(log, fields);
  const rounds = await Promise.all(
    [0, 1].map(() => Promise.all(cells.map((fields) => eventsIn(log, fields)))),
  );
  const [first = [], second = []] = rounds;
  for (const [cell, events] of first.entries()) {
    expect(events.length).toBeGreaterThan(3);
    // The same objects.
    expect(second[cell]?.every((event, place) => event === events[place])).toBe(true);
  }
});

test('each cell of an experiment has its own fields, whether the log is read or kept', async () => {
  const log = new ExperimentLog(file);
  for (const epsilon of [1, 3, 1, 3]) {
    const events = await eventsIn(log, fieldsWith(epsilon));
    const headers = JSON.stringify(
      events.map((event) =>
        event.kind === 'request' ? event.responses.map(({ headers: all }) => [...all]) : [],
      ),
    );
    expect(headers).toContain(`event_level_epsilon\\":${epsilon}`);
    expect(headers).not.toContain(`event_level_epsilon\\":${4 - epsilon}`);
  }
});
