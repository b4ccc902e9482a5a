import type { JSX } from 'preact';
import { lossOf } from '../../../src/limits/privacy-budget';
import { unitOf } from '../data/tables/budget';
import { routeTo } from '../lib/route';
import { useSession } from '../lib/session';
import { useLoaded } from '../lib/use-stored';
import { Card, Definitions, Empty, Moment } from '../ui/basics';

/** One line of the budget. */
export function SpendPage({ id }: { readonly id: number }): JSX.Element | null {
  const { reader, overview } = useSession();
  const spend = useLoaded(() => reader.get('spends', id), [reader, id]);
  if (spend === undefined) return null;
  if (spend === null) return <Empty>There is no spend {id} any more.</Empty>;
  const { time, period, purpose, epsilon, sourceIds, triggerId } = spend;
  return (
    <>
      <h1>Spend {id}</h1>
      <Card>
        <Definitions
          of={[
            ['Time', <Moment time={time} now={overview.now} />],
            ['Privacy unit', unitOf(spend)],
            ['Period from', <Moment time={period} />],
            ['For', purpose === 'report' ? 'the noise of a source' : 'the attribution of a conversion'],
            ['ε for each impression', String(epsilon)],
            ['ε in all', String(lossOf(spend).toNumber())],
            [
              'Sources',
              sourceIds.map((source) => (
                <a key={source} href={routeTo(['sources', source])}>
                  {source}{' '}
                </a>
              )),
            ],
            [
              'Conversion',
              triggerId === null ? null : <a href={routeTo(['triggers', triggerId])}>{triggerId}</a>,
            ],
          ]}
        />
      </Card>
    </>
  );
}
