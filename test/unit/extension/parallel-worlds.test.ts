import { recordedNow } from '../../../extension/pages/state/recorded-now';
import { dotPlaces } from '../../../extension/pages/ui/dot-places';
import { ticksBetween } from '../../../extension/pages/ui/ticks';
import { parallelWorlds } from '../../../extension/pages/simulate/parallel-worlds';
import { snapshotOverview } from '../../../extension/pages/data/snapshot-overview';
import { openFile } from '../../../extension/pages/data/snapshot/open-file';
import type { Session } from '../../../extension/pages/state/session';
import { recordScenario } from '../../../analysis/scenario/record';
import { chromiumLimits } from '../../../src/model/limits';
import type { Json } from '../../../src/model/json';
import { seededRandomSource } from '../../../analysis/random/sources';

const source = { source_event_id: '7', destination: 'https://shop.example', event_level_epsilon: 1 };
const trigger = { event_trigger_data: [{ trigger_data: '1' }] };

const request = (timestamp: number, context: string, headers: object, more: object = {}): object => ({
  timestamp: String(timestamp),
  registration_request: {
    context_origin: context,
    ...('Attribution-Reporting-Register-Source' in headers
      ? { 'Attribution-Reporting-Eligible': 'event-source' }
      : {}),
  },
  responses: [{ url: 'https://adtech.example/', response: headers, ...more }],
});

/** An ad, and a conversion after it. */
const session = ({ converts = true, output = null as readonly object[] | null } = {}): Json =>
  ({
    input: {
      registrations: [
        request(
          1_700_000_000_000,
          'https://news.example',
          { 'Attribution-Reporting-Register-Source': source },
          { randomized_response: output },
        ),
        ...(converts
          ? [
              request(1_700_000_100_000, 'https://shop.example', {
                'Attribution-Reporting-Register-Trigger': trigger,
              }),
            ]
          : []),
      ],
    },
  }) as unknown as Json;

/** As the view makes it of an open file. */
async function recorded(document: Json, truth: boolean): Promise<Json> {
  const { file, errors } = await openFile(document);
  if (file === null) throw new Error(JSON.stringify(errors));
  const { snapshot } = file;
  const { tables, settings } = await recordedNow({
    snapshot,
    truth,
    settings: snapshot.settings,
    overview: snapshotOverview(snapshot),
  } as Session);
  return recordScenario(tables, { settings, limits: chromiumLimits, debug: false });
}

describe('parallel worlds', () => {
  it('are estimated without bias, whatever the output of this world was', async () => {
    const document = await recorded(session({ output: [] }), true);
    const worlds = await parallelWorlds(document, seededRandomSource('worlds', 1));
    expect(worlds.truth).toBe(1);
    const runs = 3000;
    const values: number[] = [];
    while (values.length < runs) values.push(await worlds.next());
    const mean = values.reduce((sum, value) => sum + value, 0) / runs;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / runs;
    // Three states: nothing, and one report of either trigger data. Rounding the rate moves the estimates by less than 1e-6.
    expect(new Set(values.map((value) => value.toFixed(4))).size).toBe(2);
    // Six standard errors have a probability below 1e-8.
    expect(Math.abs(mean - 1)).toBeLessThan(6 * Math.sqrt(variance / runs));
    expect(worlds.own).toBeCloseTo(Math.min(...values), 9);
  });

  it('are the same with and without conversions outside debug mode', async () => {
    const output = [{ trigger_data: 0, report_window_index: 0 }];
    const [withOne, without] = [
      await recorded(session({ output }), false),
      await recorded(session({ output, converts: false }), false),
    ];
    // Reports have random ids.
    const told = (document: Json): string => JSON.stringify(document).replace(/"report_id":"[^"]*"/g, '');
    expect(told(withOne)).toBe(told(without));
    expect(told(withOne)).not.toContain('Register-Trigger');
    expect(told(withOne)).not.toContain('randomized_response');
    expect(told(await recorded(session({ output }), true))).toContain('Register-Trigger');
    const worlds = await parallelWorlds(withOne, seededRandomSource('worlds', 2));
    expect(worlds.truth).toBe(0);
    expect(worlds.own).toBeGreaterThan(0);
  });

  it('refuse what is no scenario', async () => {
    await expect(parallelWorlds({}, seededRandomSource('worlds', 3))).rejects.toThrow(/input/);
  });
});

describe('a cloud of dots', () => {
  const area = { width: 300, height: 100, piles: 10 };

  it.each([
    ['many in one place', Array.from({ length: 1000 }, () => 0.55)],
    ['spread', Array.from({ length: 1000 }, (_, index) => index / 1000)],
    ['at both ends', [0, 1]],
  ])('has room for all, none on another: %s', (_what, shares) => {
    const { places, radius } = dotPlaces(shares, area);
    expect(places).toHaveLength(shares.length);
    for (const { x, y } of places) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(area.width);
      expect(y - radius).toBeGreaterThanOrEqual(0);
      expect(y + radius).toBeLessThanOrEqual(area.height);
    }
    const apart = places.every((a, index) => {
      const b = places[index + 1];
      return b === undefined || Math.hypot(a.x - b.x, a.y - b.y) >= 2 * radius;
    });
    expect(apart).toBe(true);
  });
});

describe('ticks', () => {
  it.each([
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [-3, 7.5, 6, [-2, 0, 2, 4, 6]],
    [0, 14, 7, [0, 2, 4, 6, 8, 10, 12, 14]],
  ])('from %d to %d are round', (low, high, about, expected) => {
    expect(ticksBetween(low, high, about)).toEqual(expected);
  });
});
