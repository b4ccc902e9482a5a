import { requireBrowserCan } from '../../scenarios/replay/in-browser';
import { chromiumLimits } from '../../src/model/limits';
import { ScenarioError } from '../../analysis/scenario/calls/scenario-error';
import { parseScenario } from '../../analysis/scenario/scenario';
import { scenarioFiles } from './scenario-files';

/** The files that no browser can replay, as in docs/replay.md; some are interoperability cases. */
const impossible: readonly (readonly [file: string, path: string])[] = [
  ['aggregatable-verbose-not-from-fenced-frames.json', 'input.registrations[1].registration_request.fenced'],
  ['debug-report-not-from-fenced-frames.json', 'input.registrations[0].registration_request.fenced'],
  ['fenced-has-no-verbose-reports.json', 'input.registrations[0].registration_request.fenced'],
  ['fenced.json', 'input.registrations[0].registration_request.fenced'],
  ['navigation_retry_first_attempt.json', 'api_config.retry_after_new_navigation'],
  ['navigation_retry_second_attempt.json', 'api_config.retry_after_new_navigation'],
  ['navigation_retry_third_attempt.json', 'api_config.retry_after_new_navigation'],
];

describe('what a browser can replay', () => {
  const files = scenarioFiles();

  it('is every file but those that are listed', () => {
    const refused = files.flatMap(({ name, scenario }) => {
      try {
        requireBrowserCan(scenario);
        return [];
      } catch (error) {
        return [[name, error instanceof ScenarioError ? error.path : String(error)]];
      }
    });
    const names = files.map(({ name }) => name);
    expect(refused).toEqual(impossible.filter(([name]) => names.includes(name)));
  });

  it('has no redirect to http', () => {
    const document = {
      input: {
        registrations: [
          {
            timestamp: '0',
            registration_request: { context_origin: 'https://a.test' },
            responses: [
              { url: 'https://b.test/', response: {} },
              { url: 'http://c.test/', response: {} },
            ],
          },
        ],
      },
    };
    const { value } = parseScenario(document, chromiumLimits);
    expect(() => value === null || requireBrowserCan(value)).toThrow(
      expect.objectContaining({ path: 'input.registrations[0].responses[1].url' }) as Error,
    );
  });
});
