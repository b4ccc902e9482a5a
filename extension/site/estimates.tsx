import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { EstimateResult } from '../../analysis/estimate/result/result-json';
import { contradictRates, lossesWithWindows, lostByClocks } from '../../analysis/estimate/result/unjoined';
import { warning } from '../estimate-texts';
import { words } from '../words';
import { rich, t } from '../i18n';
import { textOfFile } from '../pages/data/file-text';
import { messageOf, showNumber } from '../pages/words/words';
import { Card, Definitions } from '../pages/ui/basics';
import { FileField } from '../pages/ui/file-field';
import { ConfigurationCard } from './configuration-card';
import { estimatesFrom, RowProblem } from './estimates-from';
import { LiftCard } from './lift-card';
import { TotalsCard } from './totals-card';

const ROWS = '.ndjson,.jsonl,.json,.csv,.tsv';
/** By which the sample is grouped. */
const SAMPLE_COLUMN = 'campaign';

type Outcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'problem'; readonly problem: string }
  | { readonly kind: 'found'; readonly result: EstimateResult };

/** Estimates from a dropped source log and dropped reports, as `cointoss estimate` gives them. */
export function Estimates(): JSX.Element {
  const [sources, setSources] = useState<string | null>(null);
  const [reports, setReports] = useState<string | null>(null);
  const [groupBy, setGroupBy] = useState('');
  const [unread, setUnread] = useState<string | null>(null);
  const outcome = useMemo(
    (): Outcome =>
      unread === null ? outcomeOf(sources, reports, groupBy) : { kind: 'problem', problem: unread },
    [sources, reports, groupBy, unread],
  );
  const read = (keep: (text: string) => void) => (file: File) => {
    setUnread(null);
    textOfFile(file).then(keep, (error: unknown) => setUnread(`${file.name}: ${messageOf(error)}`));
  };
  const openSample = async (): Promise<void> => {
    const { sampleMonth } = await import(/* webpackChunkName: "sample" */ './sample-month');
    const sample = await sampleMonth();
    setUnread(null);
    setSources(sample.sources);
    setReports(sample.reports);
    setGroupBy(SAMPLE_COLUMN);
  };
  return (
    <>
      <h1>{t('site_estimates')}</h1>
      <Card>
        <p>{rich('site_estimates_what', { code: (parts) => <code>{parts}</code> })}</p>
        <div class="cards wide">
          <FileField
            id="sources-file"
            label={t('tables_column_sources')}
            accept={ROWS}
            onFile={read(setSources)}
          />
          <FileField
            id="reports-file"
            label={t('tables_column_reports')}
            accept={ROWS}
            onFile={read(setReports)}
          />
        </div>
        <p>{t('site_sample_what')}</p>
        <div class="row">
          <button
            type="button"
            id="open-sample-month"
            onClick={() => void openSample().catch((error: unknown) => setUnread(messageOf(error)))}
          >
            {t('site_sample')}
          </button>
        </div>
        <div class="row">
          <label for="group-by">{t('site_group_by')}</label>
          <input
            id="group-by"
            value={groupBy}
            onChange={({ currentTarget }) => setGroupBy(currentTarget.value)}
          />
        </div>
        {outcome.kind === 'problem' && (
          <p class="banner error break" role="alert" id="estimates-problem">
            {outcome.problem}
          </p>
        )}
      </Card>
      {outcome.kind === 'found' && <Result result={outcome.result} />}
    </>
  );
}

function outcomeOf(sources: string | null, reports: string | null, groupBy: string): Outcome {
  if (sources === null || reports === null) return { kind: 'waiting' };
  const columns = groupBy
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  try {
    return { kind: 'found', result: estimatesFrom(sources, reports, columns) };
  } catch (error) {
    return { kind: 'problem', problem: problemOf(error) };
  }
}

const problemOf = (error: unknown): string =>
  error instanceof RowProblem
    ? t('site_row_problem', {
        file: error.file,
        line: error.line,
        problem: words.issueSentence(error.issue),
      })
    : messageOf(error);

function Clocks({
  reports,
  configurations,
}: Pick<EstimateResult, 'reports' | 'configurations'>): JSX.Element | null {
  const clocks = lostByClocks(reports, lossesWithWindows(configurations));
  return clocks === null ? null : (
    <p class="banner" id="clocks-lost">
      {warning('clocks-lost', { ...clocks, share: 'not asked', option: '' })}
    </p>
  );
}

const Result = ({ result }: { readonly result: EstimateResult }): JSX.Element => (
  <>
    {contradictRates(result.reports) && (
      <p class="banner" id="other-rates">
        {warning('other-rates', { used: result.reports.used, other: result.reports.other_rate })}
      </p>
    )}
    <Clocks reports={result.reports} configurations={result.configurations} />
    {result.groupBy.length > 0 && <TotalsCard result={result} />}
    <LiftCard result={result} />
    {result.configurations.map(({ tally, analysis }) => (
      <ConfigurationCard
        key={tally.name}
        tally={tally}
        analysis={analysis}
        groupBy={result.groupBy}
        level={result.options.level}
      />
    ))}
    <Card title={t('site_rows')}>
      <Definitions
        of={[
          [
            t('tables_column_sources'),
            t('site_rows_used', {
              read: showNumber(result.sources.read),
              used: showNumber(result.sources.used),
            }),
          ],
          [
            t('tables_column_reports'),
            t('site_rows_used', {
              read: showNumber(result.reports.read),
              used: showNumber(result.reports.used),
            }),
          ],
        ]}
      />
    </Card>
  </>
);
