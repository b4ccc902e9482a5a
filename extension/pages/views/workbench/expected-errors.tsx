import type { ComponentChildren, JSX } from 'preact';
import type { SourceRegistration } from '../../../../src/model/registration';
import { PlainTable } from '../../../../ui/fitting-table';
import { cellErrors, type Campaign } from '../../explain/cell-errors';
import { locale, rich, t } from '../../../i18n';
import { Card } from '../../ui/basics';

const MOST_SOURCES = 1e12;

/** A campaign as it is entered. */
export interface Entered {
  readonly sources: string;
  readonly percent: string;
}

export const firstEntered: Entered = { sources: '10000', percent: '1' };

/** Null while a number is not valid. */
export function campaignOf({ sources, percent }: Entered): Campaign | null {
  const [n, share] = [Number(sources), Number(percent) / 100];
  const isValid = Number.isInteger(n) && n > 0 && n <= MOST_SOURCES && share >= 0 && share <= 1;
  return isValid ? { sources: n, share } : null;
}

/** How noise changes the counts that a collector estimates from the reports of many sources. */
export function ExpectedErrors({
  source,
  entered,
  campaign,
  onEnter,
  children,
}: {
  readonly source: SourceRegistration;
  readonly entered: Entered;
  readonly campaign: Campaign | null;
  readonly onEnter: (entered: Entered) => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { sources, percent } = entered;
  return (
    <Card title={t('errors_title')}>
      <div class="row">
        {rich('errors_of', {
          label: (parts) => <label for="error-sources">{parts}</label>,
          sources: (
            <input
              id="error-sources"
              inputMode="numeric"
              size={10}
              value={sources}
              aria-invalid={campaign === null}
              onInput={({ currentTarget }) => onEnter({ ...entered, sources: currentTarget.value })}
            />
          ),
          which: (parts) => <label for="error-share">{parts}</label>,
          percent: (
            <span class="with-unit">
              <input
                id="error-share"
                inputMode="decimal"
                size={4}
                value={percent}
                aria-invalid={campaign === null}
                onInput={({ currentTarget }) => onEnter({ ...entered, percent: currentTarget.value })}
              />{' '}
              %
            </span>
          ),
          have: (parts) => <span>{parts}</span>,
        })}
      </div>
      {campaign === null ? (
        <p class="bad">{t('errors_bad_numbers')}</p>
      ) : (
        <ErrorTable source={source} campaign={campaign} />
      )}
      <p class="small soft">{t('errors_what')}</p>
      {children}
    </Card>
  );
}

function ErrorTable({
  source,
  campaign,
}: {
  readonly source: SourceRegistration;
  readonly campaign: Campaign;
}): JSX.Element {
  const reporting = campaign.sources * campaign.share;
  return (
    <PlainTable
      head={[
        t('tables_column_trigger_data'),
        t('errors_true_count'),
        t('errors_standard_error'),
        t('errors_relative'),
      ]}
    >
      {cellErrors(source, campaign).map(({ triggerData, windows, error }) => (
        <tr key={triggerData.join()} data-error={error}>
          <td>
            {t('errors_cell', {
              data:
                triggerData.length > 4
                  ? `${triggerData[0] ?? ''} … ${triggerData.at(-1) ?? ''}`
                  : triggerData.join(', '),
              windows,
            })}
          </td>
          <td>{reporting.toLocaleString(locale)}</td>
          <td>{t('errors_plus_minus', { error: rounded(error) })}</td>
          <td>
            {reporting === 0 ? '–' : t('attribution_percent', { number: rounded((error / reporting) * 100) })}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

const rounded = (value: number): string =>
  Number.isFinite(value)
    ? value.toLocaleString(locale, { maximumSignificantDigits: 4 })
    : t('errors_no_information');
