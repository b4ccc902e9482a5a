import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SourceRegistration } from '../../../src/model/registration';
import {
  check,
  draftFrom,
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
import { t } from '../lib/i18n';
import { replaceParameters, routeTo, type Route } from '../lib/route';
import { useSession } from '../lib/session';
import { Card } from '../ui/basics';
import { JsonEditor } from '../ui/json-editor';
import { ExpectedErrors } from './expected-errors';
import { Probabilities } from './probabilities';
import { RegisterHere } from './register-here';
import { SuggestionCard } from './suggestion';
import { Problems } from './why';

/** A registration to try things with: what is wrong with it, and what it comes to. */
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
      <h1>Workbench</h1>
      <div class="workbench">
        <div class="stack">
          <Editor draft={draft} checked={checked} onChange={change} />
          {checked.errors.length > 0 && <Problems title="Errors" issues={checked.errors} />}
          {checked.warnings.length > 0 && <Problems title="Warnings" issues={checked.warnings} />}
          <RegisterHere draft={draft} isValid={checked.errors.length === 0} />
        </div>
        <div class="stack">
          {checked.source === null || draft.as === 'trigger' ? (
            <Card title="What it comes to">
              <p class="soft">
                {draft.as === 'trigger'
                  ? 'Of a conversion there is nothing to work out; it is checked, and can be registered.'
                  : 'As soon as the registration is valid, its states, noise and errors show here.'}
              </p>
            </Card>
          ) : (
            <Results
              source={checked.source}
              draft={draft}
              figures={figuresOf(checked.source, draft.as)}
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
  ['navigation', 'Source, navigation (click)'],
  ['event', 'Source, event (view)'],
  ['trigger', 'Trigger (conversion)'],
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
    <Card title="Registration">
      <div class="row">
        <label for="register-as">As</label>
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
        label="JSON of the registration"
        text={draft.text}
        errors={checked.errors}
        warnings={checked.warnings}
        completionsAt={(text, offset) => completionsAt(draft.as, text, offset)}
        onChange={(text) => onChange({ ...draft, text })}
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
      () => notify({ text: 'The link is in the clipboard.', lasts: 3000 }),
      () =>
        notify({ text: 'The browser did not allow it; the address of this page is the link.', lasts: 5000 }),
    );
  };
  return (
    <button type="button" id="share" onClick={copy}>
      Copy a link to share
    </button>
  );
}

function Results({
  source,
  figures,
  draft,
  onChange,
  onTurn,
}: {
  readonly source: SourceRegistration;
  readonly draft: Draft;
  readonly figures: Figures;
  readonly onChange: (draft: Draft) => void;
  readonly onTurn: (knob: Knob, value: number) => void;
}): JSX.Element {
  const { states, epsilon, rate, bits, maxBits, largestEpsilon } = figures;
  const fits = bits <= maxBits;
  return (
    <>
      <Card title="What it comes to">
        <dl class="switches">
          <div>
            <dt>States</dt>
            <dd id="figure-states">{String(states)}</dd>
          </div>
          <div>
            <dt>Randomized rate</dt>
            <dd id="figure-rate">{rate}</dd>
          </div>
          <div>
            <dt>Channel capacity</dt>
            <dd id="figure-bits" class={fits ? undefined : 'bad'}>
              {bits} bits
            </dd>
          </div>
          <div>
            <dt>Largest ε that fits</dt>
            <dd id="figure-epsilon">{largestEpsilon}</dd>
          </div>
        </dl>
        <div
          class={fits ? 'meter' : 'meter over'}
          role="meter"
          aria-label="Channel capacity"
          aria-valuemin={0}
          aria-valuemax={maxBits}
          aria-valuenow={Math.min(bits, maxBits)}
          aria-valuetext={`${bits.toFixed(2)} of at most ${maxBits} bits`}
        >
          <span style={{ width: `${Math.min(100, (bits / maxBits) * 100)}%` }} />
        </div>
        <p class="small soft">
          {fits
            ? `Within the limit of ${maxBits} bits.`
            : `Beyond the limit of ${maxBits} bits: it would be refused. With ε = ${largestEpsilon} it would fit.`}
        </p>
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
    ['epsilon', 'ε', 0, 14, 0.5, source.eventLevelEpsilon],
    ['windows', 'Report windows', 1, 5, 1, first?.windows.ends.length ?? 1],
    [
      'triggerData',
      'Trigger data',
      1,
      32,
      1,
      source.triggerSpecs.flatMap(({ triggerData }) => triggerData).length,
    ],
    ['reports', 'Reports at most', 0, 20, 1, source.maxEventLevelReports],
    ['buckets', 'Summary buckets', 0, 20, 1, source.flexible ? (first?.summaryBuckets.length ?? 0) : 0],
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
          <output for={`knob-${knob}`}>{value}</output>
        </div>
      ))}
    </div>
  );
}
