import fc from 'fast-check';
import type { Mechanism } from '../../analysis/estimate/configuration';
import { Join, type LoggedSource } from '../../analysis/estimate/join';
import { epsilon, moment, seconds } from '../../src/model/units';
import { accepted, parsedSource } from './helpers/parsing';

const mechanisms: Readonly<Record<string, Mechanism>> = {
  response: { kind: 'rr' },
  // Sources that are silent lack the value that they should have sent.
  unbiased: { kind: 'unbiased', values: [0, 1], prior: [0.5, 0.5] },
};

const DAY = 86_400_000;
const END = moment(40 * DAY);

/** A source of the log; the last report window of one without a configuration, or late, is not over. */
const source = fc.record({
  mechanism: fc.constantFrom('response', 'unbiased', null),
  group: fc.constantFrom('a', 'b'),
  isOpen: fc.boolean(),
});

const optionsOf = { skew: seconds(60), completeUntil: END };

test('sources without a report may be counted beforehand, which changes nothing', () => {
  const { triggerSpecs, maxEventLevelReports, flexible } = accepted(
    parsedSource({ destination: 'https://shop.example' }),
  );
  const configurationOf = (name: string | null): LoggedSource['configuration'] => {
    const mechanism = name === null ? undefined : mechanisms[name];
    return mechanism === undefined
      ? null
      : {
          name,
          configuration: {
            shape: { triggerSpecs, maxEventLevelReports, flexible },
            epsilon: epsilon(1),
            mechanism,
          },
        };
  };
  fc.assert(
    fc.property(fc.array(source, { maxLength: 20 }), (sources) => {
      const [single, counted] = [new Join(optionsOf), new Join(optionsOf)];
      sources.forEach(({ mechanism, group, isOpen }, index) => {
        const configuration = configurationOf(mechanism);
        single.addSource({
          sourceEventId: BigInt(index),
          reportingOrigin: 'https://ads.example',
          destinations: ['https://shop.example'],
          sourceType: 'event',
          time: moment(isOpen ? 39 * DAY : DAY),
          configuration,
          group: [group],
        });
        counted.addUnreported({ configuration, group: [group] }, isOpen, 1);
      });
      expect(counted.result()).toEqual(single.result());
    }),
    { seed: 5 },
  );
});
