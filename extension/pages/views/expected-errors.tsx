import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { SourceRegistration } from '../../../src/model/registration';
import { cellErrors } from '../explain/workbench';
import { count } from '../lib/words';
import { Card } from '../ui/basics';

const MOST_SOURCES = 1e12;

/** What the noise does to the counts that a collector estimates from the reports of many sources. */
export function ExpectedErrors({ source }: { readonly source: SourceRegistration }): JSX.Element {
  const [sources, setSources] = useState('10000');
  const [percent, setPercent] = useState('1');
  const [n, share] = [Number(sources), Number(percent) / 100];
  const isValid = Number.isInteger(n) && n > 0 && n <= MOST_SOURCES && share >= 0 && share <= 1;
  const errors = useMemo(() => (isValid ? cellErrors(source, n, share) : []), [source, n, share, isValid]);
  return (
    <Card title="Expected error of the estimated counts">
      <div class="row">
        <label for="error-sources">Sources</label>
        <input
          id="error-sources"
          inputMode="numeric"
          size={10}
          value={sources}
          aria-invalid={!isValid}
          onInput={({ currentTarget }) => setSources(currentTarget.value)}
        />
        <label for="error-share">of which</label>
        <input
          id="error-share"
          inputMode="decimal"
          size={4}
          value={percent}
          aria-invalid={!isValid}
          onInput={({ currentTarget }) => setPercent(currentTarget.value)}
        />
        <span>% have a report of one kind in one window</span>
      </div>
      {isValid ? (
        <div class="scroll-x">
          <table class="plain-table">
            <thead>
              <tr>
                <th scope="col">Trigger data</th>
                <th scope="col">True count</th>
                <th scope="col">Standard error</th>
                <th scope="col">Relative</th>
              </tr>
            </thead>
            <tbody>
              {errors.map(({ triggerData, windows, error }) => (
                <tr key={triggerData.join()} data-error={error}>
                  <td>
                    {triggerData.length > 4
                      ? `${triggerData[0] ?? ''} … ${triggerData.at(-1) ?? ''}`
                      : triggerData.join(', ')}
                    , {windows === 1 ? 'its window' : `each of ${count(windows, 'window')}`}
                  </td>
                  <td>{(n * share).toLocaleString()}</td>
                  <td>± {rounded(error)}</td>
                  <td>{share === 0 ? '–' : `${rounded((error / (n * share)) * 100)} %`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p class="bad">Sources must be a whole number above 0, and the share from 0 to 100.</p>
      )}
      <p class="small soft">
        Of the unbiased estimate from the reports received. Two of three estimates fall within one standard
        error of the truth, 19 of 20 within two.
      </p>
    </Card>
  );
}

const rounded = (value: number): string =>
  Number.isFinite(value)
    ? value.toLocaleString(undefined, { maximumSignificantDigits: 4 })
    : 'no information';
