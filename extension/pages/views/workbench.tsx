import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Issue } from '../../../src/model/mistakes';
import type { SourceRegistration } from '../../../src/model/registration';
import {
  check,
  draftFrom,
  draftOfLink,
  draftToParameters,
  figuresOf,
  firstDraft,
  turn,
  type Checked,
  type Draft,
  type Figures,
  type Knob,
  type RegisterAs,
} from '../explain/workbench';
import { completionsAt } from '../explain/fields';
import { t } from '../../i18n';
import { words } from '../../words';
import { replaceParameters, routeTo, type Route } from '../lib/route';
import { useSession } from '../lib/session';
import { showDecimal } from '../lib/words';
import { Card } from '../ui/basics';
import { JsonEditor } from '../ui/json-editor';
import { ExpectedErrors } from './expected-errors';
import { Probabilities } from './probabilities';
import { RegisterHere } from './register-here';
import { SuggestionCard } from './suggestion';
import { Problems } from './why';

/** A registration to experiment with: its issues and its figures. */
export function WorkbenchView({ route }: { readonly route: Route }): JSX.Element {
  const [draft, setDraft] = useState<Draft>(() => draftFrom(route.parameters) ?? firstDraft);
  useEffect(() => {
    const shared = draftFrom(route.parameters);
    if (shared !== null) setDraft(shared);
  }, [route]);
  const checked = useMemo(() => check(draft), [draft]);
  const change = (changed: Draft): void => {
    setDraft(changed);
    replaceParameters(route, draftToParameters(changed));
  };
  return (
    <>
      <h1>{t('nav_workbench')}</h1>
      <div class="workbench">
        <div class="stack">
          <Editor draft={draft} checked={checked} onChange={change} />
          {checked.errors.length > 0 && <Problems title={t('workbench_errors')} issues={checked.errors} />}
          {checked.warnings.length > 0 && (
            <Problems title={t('workbench_warnings')} issues={checked.warnings} />
          )}
          <RegisterHere draft={draft} isValid={checked.errors.length === 0} />
        </div>
        <div class="stack">
          {checked.source === null || draft.as === 'trigger' ? (
            <Card title={t('workbench_results')}>
              <p class="soft">
                {t(draft.as === 'trigger' ? 'workbench_of_conversion' : 'workbench_not_valid')}
              </p>
            </Card>
          ) : (
            <Results
              source={checked.source}
              draft={draft}
              figures={figuresOf(checked.source, draft.as)}
              beyond={checked.errors[0] ?? null}
              onChange={change}
              onTurn={(knob, value) => {
                if (checked.source !== null) change(turn(draft, knob, value, checked.source));
              }}
            />
          )}
        </div>
      </div>
    </>
  );
}

const kinds: readonly (readonly [RegisterAs, string])[] = [
  ['navigation', t('workbench_as_navigation')],
  ['event', t('workbench_as_event')],
  ['trigger', t('workbench_as_trigger')],
];

function Editor({
  draft,
  checked,
  onChange,
}: {
  readonly draft: Draft;
  readonly checked: Checked;
  readonly onChange: (draft: Draft) => void;
}): JSX.Element {
  return (
    <Card title={t('workbench_registration')}>
      <div class="row">
        <label for="register-as">{t('workbench_as')}</label>
        <select
          id="register-as"
          value={draft.as}
          onChange={({ currentTarget }) =>
            onChange({ ...draft, as: kinds.find(([kind]) => kind === currentTarget.value)?.[0] ?? draft.as })
          }
        >
          {kinds.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
        <Share draft={draft} />
      </div>
      <JsonEditor
        id="registration"
        label={t('workbench_json')}
        text={draft.text}
        errors={checked.errors}
        warnings={checked.warnings}
        completionsAt={(text, offset) => completionsAt(draft.as, text, offset)}
        onChange={(text) => onChange(draftOfLink(text) ?? { ...draft, text })}
      />
      <p class="small soft">{t('workbench_completion')}</p>
    </Card>
  );
}

function Share({ draft }: { readonly draft: Draft }): JSX.Element {
  const { notify } = useSession();
  const address = routeTo(['workbench'], draftToParameters(draft));
  const copy = (): void => {
    void navigator.clipboard.writeText(new URL(address, location.href).href).then(
      () => notify({ text: t('workbench_copied'), lasts: 3000 }),
      () => notify({ text: t('workbench_not_copied'), lasts: 5000 }),
    );
  };
  return (
    <button type="button" id="share" onClick={copy}>
      {t('workbench_share')}
    </button>
  );
}

function Results({
  source,
  figures,
  beyond,
  draft,
  onChange,
  onTurn,
}: {
  readonly source: SourceRegistration;
  readonly draft: Draft;
  readonly figures: Figures;
  /** The limit that the source passes, if any. */
  readonly beyond: Issue | null;
  readonly onChange: (draft: Draft) => void;
  readonly onTurn: (knob: Knob, value: number) => void;
}): JSX.Element {
  const { states, epsilon, rate, bits, maxBits, largestEpsilon } = figures;
  return (
    <>
      <Card title={t('workbench_results')}>
        <dl class="switches">
          <div>
            <dt>{t('workbench_states')}</dt>
            <dd id="figure-states">{String(states)}</dd>
          </div>
          <div>
            <dt>{t('workbench_rate')}</dt>
            <dd id="figure-rate">{showDecimal(rate)}</dd>
          </div>
          <div>
            <dt>{t('workbench_capacity')}</dt>
            <dd id="figure-bits" class={bits <= maxBits ? undefined : 'bad'}>
              {t('workbench_bits', { bits: showDecimal(bits) })}
            </dd>
          </div>
          <div>
            <dt>{t('workbench_largest_epsilon')}</dt>
            <dd id="figure-epsilon">{showDecimal(largestEpsilon)}</dd>
          </div>
        </dl>
        <div
          class={bits <= maxBits ? 'meter' : 'meter over'}
          role="meter"
          aria-label={t('workbench_capacity')}
          aria-valuemin={0}
          aria-valuemax={maxBits}
          aria-valuenow={Math.min(bits, maxBits)}
          aria-valuetext={t('workbench_bits_of', { bits, most: showDecimal(maxBits) })}
        >
          <span style={{ width: `${Math.min(100, (bits / maxBits) * 100)}%` }} />
        </div>
        {beyond === null ? (
          <p class="small soft">{t('workbench_fits', { most: showDecimal(maxBits) })}</p>
        ) : (
          <p class="bad" id="beyond-limit">
            {t('workbench_beyond', { problem: words.mistakeText(beyond) })}
          </p>
        )}
        <Sliders source={source} onTurn={onTurn} />
      </Card>
      <ExpectedErrors source={source} />
      <SuggestionCard source={source} draft={draft} onUse={onChange} />
      <Probabilities states={states} epsilon={epsilon} chosen={0n} truth={null} />
    </>
  );
}

function Sliders({
  source,
  onTurn,
}: {
  readonly source: SourceRegistration;
  readonly onTurn: (knob: Knob, value: number) => void;
}): JSX.Element {
  const [first] = source.triggerSpecs;
  const sliders: readonly (readonly [Knob, string, number, number, number, number])[] = [
    ['epsilon', t('workbench_epsilon'), 0, 14, 0.5, source.eventLevelEpsilon],
    ['windows', t('workbench_windows'), 1, 5, 1, first?.windows.ends.length ?? 1],
    [
      'triggerData',
      t('workbench_trigger_data'),
      1,
      32,
      1,
      source.triggerSpecs.flatMap(({ triggerData }) => triggerData).length,
    ],
    ['reports', t('workbench_reports'), 0, 20, 1, source.maxEventLevelReports],
    ['buckets', t('workbench_buckets'), 0, 20, 1, source.flexible ? (first?.summaryBuckets.length ?? 0) : 0],
  ];
  return (
    <div class="stack">
      {sliders.map(([knob, title, min, max, step, value]) => (
        <div class="slider" key={knob}>
          <label for={`knob-${knob}`}>{title}</label>
          <input
            id={`knob-${knob}`}
            type="range"
            min={min}
            max={max}
            step={step}
            value={value}
            onInput={({ currentTarget }) => onTurn(knob, currentTarget.valueAsNumber)}
          />
          <output for={`knob-${knob}`}>{showDecimal(value)}</output>
        </div>
      ))}
    </div>
  );
}
