import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { SourceRegistration } from '../../../src/model/registration';
import { cellErrors } from '../explain/workbench';
import { locale, rich, t } from '../../i18n';
import { Card } from '../ui/basics';

const MOST_SOURCES = 1e12;

/** How noise changes the counts that a collector estimates from the reports of many sources. */
export function ExpectedErrors({ source }: { readonly source: SourceRegistration }): JSX.Element {
  const [sources, setSources] = useState('10000');
  const [percent, setPercent] = useState('1');
  const [n, share] = [Number(sources), Number(percent) / 100];
  const isValid = Number.isInteger(n) && n > 0 && n <= MOST_SOURCES && share >= 0 && share <= 1;
  const errors = useMemo(() => (isValid ? cellErrors(source, n, share) : []), [source, n, share, isValid]);
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
              aria-invalid={!isValid}
              onInput={({ currentTarget }) => setSources(currentTarget.value)}
            />
          ),
          which: (parts) => <label for="error-share">{parts}</label>,
          percent: (
            <input
              id="error-share"
              inputMode="decimal"
              size={4}
              value={percent}
              aria-invalid={!isValid}
              onInput={({ currentTarget }) => setPercent(currentTarget.value)}
            />
          ),
          have: (parts) => <span>{parts}</span>,
        })}
      </div>
      {isValid ? (
        <div class="scroll-x">
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">{t('errors_trigger_data')}</th>
                <th scope="col">{t('errors_true_count')}</th>
                <th scope="col">{t('errors_standard_error')}</th>
                <th scope="col">{t('errors_relative')}</th>
              </tr>
            </thead>
            <tbody>
              {errors.map(({ triggerData, windows, error }) => (
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
                  <td>{(n * share).toLocaleString(locale)}</td>
                  <td>{t('errors_plus_minus', { error: rounded(error) })}</td>
                  <td>
                    {share === 0
                      ? '–'
                      : t('errors_percent', { number: rounded((error / (n * share)) * 100) })}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p class="bad">{t('errors_bad_numbers')}</p>
      )}
      <p class="small soft">{t('errors_what')}</p>
    </Card>
  );
}

const rounded = (value: number): string =>
  Number.isFinite(value)
    ? value.toLocaleString(locale, { maximumSignificantDigits: 4 })
    : t('errors_no_information');
