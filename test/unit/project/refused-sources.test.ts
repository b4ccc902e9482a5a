import { recordScenario } from '../../../analysis/scenario/record';
import { whatKey } from '../../../extension/pages/words/what';
import { asJson } from '../../../formats/codec/plain-json';
import { defaultSettings } from '../../../formats/settings/settings';
import { entryText } from '../../../scenarios/kit/entry-text';
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
