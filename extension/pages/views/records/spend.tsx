import type { JSX } from 'preact';
import { lossOf } from '../../../../src/limits/privacy-budget';
import { isShown } from '../../tables/budget';
import { t } from '../../../i18n';
import { routeTo } from '../../state/route';
import { useSession } from '../../state/session';
import { unitWords } from '../../words/unit-words';
import { useLoaded } from '../../state/use-stored';
import { showDecimal } from '../../words/words';
import { Card, Definitions, Empty, Moment } from '../../ui/basics';

export function SpendPage({ id }: { readonly id: number }): JSX.Element | null {
  const { reader, overview, truth } = useSession();
  const spend = useLoaded(() => reader.get('spends', id), [reader, id]);
  if (spend === undefined) return null;
  if (spend === null || !isShown(spend, truth)) return <Empty>{t('spend_gone', { id })}</Empty>;
  const { time, period, purpose, epsilon, sourceIds, triggerId } = spend;
  return (
    <>
      <h1>{t('spend_title', { id })}</h1>
      <Card>
        <Definitions
          of={[
            [t('tables_column_time'), <Moment time={time} now={overview.now} />],
            [t('settings_unit_title'), unitWords(spend)],
            [t('tables_column_period'), <Moment time={period} />],
            [
              t('tables_column_purpose'),
              t(purpose === 'report' ? 'spend_for_noise' : 'spend_for_attribution'),
            ],
            [t('spend_epsilon'), showDecimal(epsilon)],
            [t('tables_column_loss'), showDecimal(lossOf(spend).toNumber())],
            [
              t('tables_column_sources'),
              sourceIds.map((source) => (
                <a key={source} href={routeTo(['sources', source])}>
                  {source}{' '}
                </a>
              )),
            ],
            [
              t('tables_column_trigger'),
              triggerId === null ? null : <a href={routeTo(['triggers', triggerId])}>{triggerId}</a>,
            ],
          ]}
        />
      </Card>
    </>
  );
}
