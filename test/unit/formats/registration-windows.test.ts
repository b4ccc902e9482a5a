import type { SourceType } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import type { ReportWindows } from '../../../src/model/registration';
import {
  accepted,
  acceptedWithWarning,
  expectRefused,
  parsedSource,
  wrongTypes,
  acceptedAnyway,
} from '../helpers/parsing';
import { english } from '../../../words/english';

const HOUR = 3600;
const DAY = 86400;

const inSeconds = (windows: ReportWindows | undefined): { start: number; ends: number[] } | undefined =>
  windows && { start: windows.start / 1000, ends: windows.ends.map((end) => end / 1000) };

describe('expiry', () => {
  test.each<[SourceType, Json, number]>([
    ['navigation', DAY, DAY],
    ['navigation', DAY + 1, DAY + 1],
    ['navigation', 30 * DAY, 30 * DAY],
    ['navigation', '129600', 129600],
    ['navigation', '2592000', 30 * DAY],
    ['navigation', 86400.0, DAY],
    // Event sources: whole days, half up.
    ['event', DAY, DAY],
    ['event', 129599, DAY],
    ['event', 129600, 2 * DAY],
    ['event', '129600', 2 * DAY],
    ['event', 30 * DAY - 1, 30 * DAY],
    ['event', 30 * DAY, 30 * DAY],
  ])('of %s sources %j lasts %s seconds', (sourceType, expiry, seconds) => {
    expect(acceptedAnyway(parsedSource({ expiry }, sourceType)).expiry).toBe(seconds * 1000);
  });

  test.each([129599, '129600', 30 * DAY - 1])('of event sources %j is rounded with a warning', (expiry) => {
    acceptedWithWarning(parsedSource({ expiry }, 'event'), 'expiry', 'a whole number of days');
  });

  test.each<[Json, number]>([
    [0, DAY],
    ['0', DAY],
    [DAY - 1, DAY],
    [30 * DAY + 1, 30 * DAY],
    ['18446744073709551615', 30 * DAY],
    [1e308, 30 * DAY],
  ])('%j is clamped to %s seconds, with a warning', (expiry, seconds) => {
    const message = `is out of range and counts as ${seconds}`;
    for (const sourceType of ['navigation', 'event'] as const) {
      const source = acceptedWithWarning(parsedSource({ expiry }, sourceType), 'expiry', message);
      expect(source.expiry).toBe(seconds * 1000);
    }
  });

  test.each<[Json, string]>([
    [-1, 'must be an integer of at least 0'],
    [1.5, 'must be an integer of at least 0'],
    ...wrongTypes('number', 'string').map((value): [Json, string] => [
      value,
      'must be an integer of at least 0',
    ]),
  ])('%j is refused', (expiry, message) => expectRefused(parsedSource({ expiry }), 'expiry', message));

  test.each(['', '-1', '1.5', 'a day', '18446744073709551616'])('the string %j is refused', (expiry) => {
    const { value, errors } = parsedSource({ expiry });
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([
      { path: 'expiry', message: expect.stringContaining('an unsigned 64-bit integer in decimal') as string },
    ]);
  });
});

describe('the default report windows', () => {
  test.each<[SourceType, JsonObject, number[]]>([
    // From the specification of the event-level half: ends of 2 and 7 days, measured from the source, and the expiry.
    ['navigation', {}, [2 * DAY, 7 * DAY, 30 * DAY]],
    ['navigation', { expiry: 30 * DAY }, [2 * DAY, 7 * DAY, 30 * DAY]],
    ['navigation', { expiry: 7 * DAY + 1 }, [2 * DAY, 7 * DAY, 7 * DAY + 1]],
    ['navigation', { expiry: 7 * DAY }, [2 * DAY, 7 * DAY]],
    ['navigation', { expiry: 2 * DAY }, [2 * DAY]],
    ['navigation', { expiry: DAY }, [DAY]],
    ['navigation', { event_report_window: 96400 }, [96400]],
    ['navigation', { event_report_window: 182800 }, [2 * DAY, 182800]],
    ['navigation', { event_report_window: '182800' }, [2 * DAY, 182800]],
    ['navigation', { event_report_window: HOUR }, [HOUR]],
    ['navigation', { event_report_window: 20 * DAY }, [2 * DAY, 7 * DAY, 20 * DAY]],
    ['event', {}, [30 * DAY]],
    ['event', { expiry: 129600 }, [2 * DAY]],
    ['event', { event_report_window: 96400 }, [96400]],
    // The window is held to the expiry after its rounding.
    ['event', { expiry: 129599, event_report_window: DAY }, [DAY]],
    ['event', { expiry: 129600, event_report_window: 129601 }, [129601]],
  ])('of %s sources with %j end after %j seconds', (sourceType, fields, ends) => {
    const [spec] = acceptedAnyway(parsedSource(fields, sourceType)).triggerSpecs;
    expect(inSeconds(spec?.windows)).toEqual({ start: 0, ends });
  });

  test.each<[SourceType, JsonObject, number]>([
    ['navigation', { event_report_window: HOUR - 1 }, HOUR],
    ['navigation', { event_report_window: 0 }, HOUR],
    ['navigation', { expiry: 3 * DAY, event_report_window: 3 * DAY + 1 }, 3 * DAY],
    ['event', { expiry: DAY, event_report_window: 129599 }, DAY],
  ])('of %s sources with %j warn and end at %s', (sourceType, fields, last) => {
    const source = acceptedWithWarning(
      parsedSource(fields, sourceType),
      'event_report_window',
      `is out of range and counts as ${last}`,
    );
    expect(inSeconds(source.triggerSpecs[0]?.windows)?.ends.at(-1)).toBe(last);
  });

  test.each([-1, 0.5, ...wrongTypes('number', 'string')])('refuse the event_report_window %j', (window) => {
    expectRefused(
      parsedSource({ event_report_window: window }),
      'event_report_window',
      'must be an integer of at least 0',
    );
  });
});

describe('event_report_windows', () => {
  test.each<[JsonObject, number, number[]]>([
    [{ end_times: [HOUR] }, 0, [HOUR]],
    [{ end_times: [HOUR, HOUR + 1, DAY, 2 * DAY, 30 * DAY] }, 0, [HOUR, HOUR + 1, DAY, 2 * DAY, 30 * DAY]],
    [{ start_time: 0, end_times: [DAY] }, 0, [DAY]],
    [{ start_time: 10, end_times: [DAY] }, 10, [DAY]],
    [{ start_time: 30 * DAY - 1, end_times: [30 * DAY] }, 30 * DAY - 1, [30 * DAY]],
  ])('%j is as it says', (windows, start, ends) => {
    const [spec] = accepted(parsedSource({ event_report_windows: windows })).triggerSpecs;
    expect(inSeconds(spec?.windows)).toEqual({ start, ends });
  });

  test.each<[JsonObject, JsonObject, number, number[]]>([
    [{}, { end_times: [1] }, 0, [HOUR]],
    [{}, { end_times: [HOUR - 1, DAY] }, 0, [HOUR, DAY]],
    [{}, { end_times: [DAY, 30 * DAY + 1] }, 1, [DAY, 30 * DAY]],
    [{ expiry: 2 * DAY }, { end_times: [DAY, 1e300] }, 1, [DAY, 2 * DAY]],
  ])('with %j, %j is clamped with a warning', (fields, windows, index, ends) => {
    const source = acceptedWithWarning(
      parsedSource({ ...fields, event_report_windows: windows }),
      `event_report_windows.end_times[${index}]`,
      `is out of range and counts as ${ends[index] ?? NaN}`,
    );
    expect(inSeconds(source.triggerSpecs[0]?.windows)?.ends).toEqual(ends);
  });

  test.each<[string, JsonObject, string, string]>([
    ['no end', {}, '', 'must have the field "end_times"'],
    ['an empty list', { end_times: [] }, '.end_times', 'must have at least 1 item, has 0'],
    [
      'six ends',
      { end_times: [1, 2, 3, 4, 5, 6].map((day) => day * DAY) },
      '.end_times',
      'at most 5 items, has 6',
    ],
    ['an end of 0', { end_times: [0] }, '.end_times[0]', 'must be an integer of at least 1'],
    ['a negative end', { end_times: [-DAY] }, '.end_times[0]', 'must be an integer of at least 1'],
    ['a broken end', { end_times: [DAY + 0.5] }, '.end_times[0]', 'must be an integer of at least 1'],
    ['an end as a string', { end_times: ['86400'] }, '.end_times[0]', 'must be an integer of at least 1'],
    ['equal ends', { end_times: [DAY, DAY] }, '.end_times[1]', 'must be later than 86400'],
    ['falling ends', { end_times: [2 * DAY, DAY] }, '.end_times[1]', 'must be later than 172800'],
    [
      'an end at the start',
      { start_time: DAY, end_times: [DAY] },
      '.end_times[0]',
      'must be later than 86400',
    ],
    [
      'an end before the start',
      { start_time: DAY, end_times: [HOUR] },
      '.end_times[0]',
      'must be later than',
    ],
    ['a negative start', { start_time: -1, end_times: [DAY] }, '.start_time', 'must be an integer from 0'],
    [
      'a start past expiry',
      { start_time: 30 * DAY + 1, end_times: [DAY] },
      '.start_time',
      'from 0 to 2592000',
    ],
    ['a start as a string', { start_time: '0', end_times: [DAY] }, '.start_time', 'must be an integer'],
    ['no list of ends', { end_times: DAY }, '.end_times', 'must be a list'],
  ])('must not have %s', (_name, windows, path, message) => {
    const { value, errors } = parsedSource({ event_report_windows: windows });
    expect(value).toBeNull();
    expect(errors.map(english.worded)[0]).toEqual({
      path: `event_report_windows${path}`,
      message: expect.stringContaining(message) as string,
    });
  });

  test('must still increase after clamping', () => {
    const { value, errors } = parsedSource({ event_report_windows: { end_times: [HOUR - 2, HOUR - 1] } });
    expect(value).toBeNull();
    expect(errors.map(english.worded)).toEqual([
      {
        path: 'event_report_windows.end_times[1]',
        message: 'must be later than 3600, where the window begins, was 3600 after clamping',
      },
    ]);
  });

  test('must not stand beside event_report_window', () => {
    const windows = { event_report_window: DAY, event_report_windows: { end_times: [DAY] } };
    expectRefused(
      parsedSource(windows),
      'event_report_window',
      'must not be given beside "event_report_windows"',
    );
  });

  test.each(wrongTypes('object'))('%j is refused', (windows) => {
    const { value, errors } = parsedSource({ event_report_windows: windows });
    expect(value).toBeNull();
    expect(errors.map(english.worded)[0]).toEqual({
      path: 'event_report_windows',
      message: `must be an object, was ${JSON.stringify(windows)}`,
    });
  });

  test('warn of a field that they do not have', () => {
    acceptedWithWarning(
      parsedSource({ event_report_windows: { end_times: [DAY], end_time: 1 } }),
      'event_report_windows.end_time',
      'is not a known field',
    );
  });
});
