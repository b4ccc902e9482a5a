import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { LogEntry } from '../../../src/model/decision';
import { PlainTable } from '../../../ui/fitting-table';
import {
  channelColumns,
  learnedCredits,
  MOST_CHANNELS,
  type LearnedCredits,
} from '../explain/learned-credits';
import { t } from '../../i18n';
import { Coalesced } from '../state/coalesced';
import { useSession } from '../state/session';
import { showDecimal } from '../words/words';
import { modelName } from '../words/model-names';
import { Card, NeedsDebugMode, Origin } from '../ui/basics';
import { LabelledSelect } from '../../../ui/select';

/** The most entries of the log that are learned from, so that the page need not wait, whatever a site registers. */
const READ = 2000;
/** In milliseconds: between two readings of a log that grows. */
const PAUSE = 1000;

const columnNames: ReadonlyMap<string, string> = new Map([
  ['reporting_origin', t('tables_column_reporting_origin')],
  ['source_type', t('tables_column_type')],
]);

/** What each model would credit each channel with, the learned ones among them. It takes journeys on all sites. */
export function LearnedCreditsCard(): JSX.Element | null {
  const { settings, truth } = useSession();
  const entries = useNewestEntries();
  const [wanted, setWanted] = useState<string | null>(null);
  const columns = useMemo(() => channelColumns(entries ?? []), [entries]);
  const column = columns.find((one) => one === wanted) ?? columns[0] ?? '';
  const learned = useMemo(
    () => (entries === null ? null : learnedCredits(entries, column, settings, truth)),
    [entries, column, settings, truth],
  );
  if (entries === null || learned === null) return null;
  return (
    <Card title={t('credits_title')}>
      <p class="soft">{t('credits_intro')}</p>
      <ColumnChoice
        id="channel-column"
        label={t('credits_column')}
        columns={columns}
        column={column}
        onChoose={setWanted}
      />
      <Learned learned={learned} column={column} isPart={entries.length === READ} />
    </Card>
  );
}

/** By which column of the source log sources are told apart. */
export const ColumnChoice = ({
  id,
  label,
  columns,
  column,
  onChoose,
}: {
  readonly id: string;
  readonly label: string;
  readonly columns: readonly string[];
  readonly column: string;
  readonly onChoose: (column: string) => void;
}): JSX.Element => (
  <LabelledSelect
    {...{ id, label, onChoose }}
    of={columns.map((one) => [one, columnNames.get(one) ?? one])}
    value={column}
  />
);

export function useNewestEntries(): readonly LogEntry[] | null {
  const { reader, act } = useSession();
  const [entries, setEntries] = useState<readonly LogEntry[] | null>(null);
  useEffect(() => {
    const read = (): Promise<void> =>
      reader
        .newest('log', READ)
        .then(setEntries, (error: unknown) =>
          act(() => Promise.reject(error instanceof Error ? error : new Error(String(error)))),
        );
    const reading = new Coalesced(read, () => PAUSE);
    reading.ask();
    const end = reader.onChange(({ log }) => {
      if (log !== undefined) reading.ask();
    });
    return () => {
      end();
      reading.stop();
    };
  }, [reader]);
  return entries;
}

function Learned({
  learned,
  column,
  isPart,
}: {
  readonly learned: LearnedCredits;
  readonly column: string;
  readonly isPart: boolean;
}): JSX.Element {
  const { snapshot } = useSession();
  const file = snapshot?.truth === false ? 'without' : 'other';
  switch (learned.kind) {
    case 'few': {
      const { most, least } = learned;
      const points = showDecimal(50 / Math.sqrt(least), 1);
      return <p id="learned">{t('credits_few', { most, least, points })}</p>;
    }
    case 'many':
      return <p id="learned">{t('credits_many', { n: learned.channels, most: MOST_CHANNELS })}</p>;
    case 'unconverted':
      return <p id="learned">{t('credits_unconverted', { n: learned.journeys, file })}</p>;
    case 'learned':
      return (
        <>
          <p id="learned">
            {t('credits_learned', {
              journeys: learned.journeys,
              conversions: learned.conversions,
              read: isPart ? READ : 0,
            })}
          </p>
          <Credits learned={learned} column={column} rule={modelName(learned.rule)} />
          <p class="soft">{t('credits_how')}</p>
          {learned.mayRepeat && <NeedsDebugMode what={t('credits_repeated')} />}
        </>
      );
  }
}

function Credits({
  learned: { rule: kind, rows },
  column,
  rule,
}: {
  readonly learned: Extract<LearnedCredits, { kind: 'learned' }>;
  readonly column: string;
  readonly rule: string;
}): JSX.Element {
  const isInForce = useSession().settings.attribution.kind === kind;
  return (
    <PlainTable
      id="learned-credits"
      head={[
        t('credits_channel'),
        isInForce ? t('credits_in_force', { model: rule }) : rule,
        t('credits_shapley'),
        t('credits_logistic'),
      ]}
    >
      {rows.map((row) => (
        <tr key={row.channel}>
          <th scope="row">
            <Channel of={row.channel} isOrigin={column === 'reporting_origin'} />
          </th>
          {[row.rule, row.shapley, row.logistic].map((credit, index) => (
            <td key={index}>{showDecimal(credit, 4)}</td>
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}

export function Channel({ of, isOrigin }: { readonly of: string; readonly isOrigin: boolean }): JSX.Element {
  if (isOrigin) return <Origin of={of} />;
  return <>{of === '' ? t('credits_without_channel') : of}</>;
}
