import { unknownHeader } from '../../../recording/unknown-headers';

test.each([
  ['Attribution-Reporting-Register-Sources', 'Attribution-Reporting-Register-Source'],
  ['attribution-reporting-registersource', 'Attribution-Reporting-Register-Source'],
  ['Attribution-Report-Register-Trigger', 'Attribution-Reporting-Register-Trigger'],
  ['attribution-reporting-register-tirgger', 'Attribution-Reporting-Register-Trigger'],
])('%s may mean %s', (name, meant) => {
  expect(unknownHeader(['Content-Type', name])).toEqual({ name, meant });
});

test.each([
  'Attribution-Reporting-Register-Source',
  'Attribution-Reporting-Eligible',
  'Attribution-Reporting-Info',
  'Attribution',
  `attribution-reporting-register-source${'x'.repeat(1000)}`,
  'Content-Type',
])('%s means nothing else', (name) => {
  expect(unknownHeader([name])).toBeUndefined();
});
