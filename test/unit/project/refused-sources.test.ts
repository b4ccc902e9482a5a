import { recordScenario } from '../../../analysis/scenario/record';
import { whatKey } from '../../../extension/pages/words/what';
import { asJson } from '../../../formats/codec/plain-json';
import { defaultSettings } from '../../../formats/settings/settings';
import { entryText } from '../../../scenarios/kit/entry-text';
import { REGISTER_SOURCE } from '../../../formats/registration/header';
import type { LogEntry } from '../../../src/model/decision';
import { chromiumLimits } from '../../../src/model/limits';
import { ADTECH, conditions, newEngine, NEWS, sourceRegistration, START } from '../helpers/engine';

test.each([
  ['navigation', 'click'],
  ['event', 'impression'],
] as const)(
  'a refused %s source stays one in the log, pages, the kit and records',
  async (sourceType, what) => {
    const { engine } = newEngine({});
    const entry = await engine.register(sourceRegistration({ destination: 1 }, sourceType), conditions());
    expect(whatKey(entry)).toBe(what);
    // The kit gets it as JSON.
    expect(entryText(asJson(entry))).toMatch(
      `${sourceType} source on ${NEWS} by ${ADTECH}: refused: destination: `,
    );
    const options = { settings: defaultSettings, limits: chromiumLimits, debug: false };
    const { input } = recordScenario({ log: [entry], reports: [], finished: [] }, options);
    expect(input).toMatchObject({
      registrations: [
        {
          timestamp: String(START),
          registration_request: { 'Attribution-Reporting-Eligible': `${sourceType}-source` },
        },
      ],
    });
  },
);

test('a refused source without a type, as earlier versions logged it, is no trigger in records, pages and the kit', async () => {
  const { engine } = newEngine({});
  const logged = await engine.register(sourceRegistration({ destination: 1 }, 'event'), conditions());
  const { sourceType, ...entry } = logged as LogEntry & { readonly sourceType: string };
  expect(sourceType).toBe('event');
  const options = { settings: defaultSettings, limits: chromiumLimits, debug: false };
  const stored = entry as LogEntry;
  const { input } = recordScenario({ log: [stored], reports: [], finished: [] }, options);
  expect(input).toMatchObject({
    registrations: [
      {
        registration_request: { 'Attribution-Reporting-Eligible': 'event-source' },
        responses: [{ response: { [REGISTER_SOURCE]: expect.any(String) as string } }],
      },
    ],
  });
  expect(whatKey(stored)).toBe('impression');
  expect(entryText(asJson(stored))).toMatch(/^source on /);
});
