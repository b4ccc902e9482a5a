import { rowAtCollector } from '../../../extension/pages/explain/sent';
import type { Report } from '../../../src/model/records';
import { moment, type Origin } from '../../../src/model/units';

const PATH = '/.well-known/attribution-reporting/report-event-attribution';
const collector = 'https://collector.example' as Origin;
const body = { report_id: 'a b' };

type Outcome = Report['attempts'][number]['outcome'];

test.each<[string, Outcome | null, Origin | null, string | null]>([
  ['taken', { kind: 'answered', status: 200, to: collector + PATH }, collector, `${collector}/#report=a%20b`],
  ['not sent yet', null, collector, null],
  ['refused', { kind: 'answered', status: 400, to: collector + PATH }, collector, null],
  ['not answered', { kind: 'unreachable', error: 'refused', to: collector + PATH }, collector, null],
  ['sent by an older version', { kind: 'answered', status: 200 }, collector, null],
  [
    'sent to another collector',
    { kind: 'answered', status: 200, to: `https://old.example${PATH}` },
    collector,
    null,
  ],
  ['sent before there was none', { kind: 'answered', status: 200, to: collector + PATH }, null, null],
])('the row of a report that was %s', (_, outcome, recipient, expected) => {
  const attempts = outcome === null ? [] : [{ time: moment(1), outcome }];
  expect(rowAtCollector({ attempts, body, ...(recipient === null ? {} : { recipient }) })).toBe(expected);
});
