import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SourceType } from '../../../../src/model/limits';
import type { SourceRegistration } from '../../../../src/model/registration';
import {
  benchFrom,
  benchOfLink,
  benchToParameters,
  check,
  figuresOf,
  firstBench,
  turn,
  scenarioOf,
  type Bench,
  type Checked,
  type Draft,
  type RegisterAs,
} from '../../explain/workbench';
import { draftMarkdown } from '../../explain/draft-markdown';
import { download } from '../../tables/export';
import { completionsAt } from '../../explain/fields';
import { t } from '../../../i18n';
import { replaceParameters, routeTo, type Route } from '../../state/route';
import { Card } from '../../ui/basics';
import { CopyButton } from '../../ui/copy-button';
import { later } from '../../ui/later';
import { OneByOne } from '../../ui/one-by-one';
import { PlainEditor, type Caret } from './plain-editor';
import { Problems } from '../../ui/problems';
import { CampaignRuns } from './campaign-runs';
import { ErrorCurves } from './error-curves';
import { campaignOf, ExpectedErrors, firstEntered } from './expected-errors';
import { Probabilities } from '../records/probabilities';
import { RegisterHere } from './register-here';
import { SuggestionCard } from './suggestion';
import { Valid, WorkbenchStates } from './answer';
import { Comparison } from './comparison';
import { Results } from './results';
import { WorkbenchWindows } from './windows';
import { Select } from '../../../../ui/select';

/** It is more code than all else here, which does not wait for it. */
const JsonEditor = later(
  async () => (await import(/* webpackChunkName: "editor" */ './json-editor')).JsonEditor,
  (props) => <PlainEditor {...props} />,
);

/** A registration to experiment with: its issues and its figures, beside those of another. */
export function WorkbenchView({ route }: { readonly route: Route }): JSX.Element {
  const [bench, setBench] = useState<Bench>(() => benchFrom(route.parameters) ?? firstBench);
  useEffect(() => {
    const shared = benchFrom(route.parameters);
    if (shared !== null) setBench(shared);
  }, [route]);
  const { draft } = bench;
  const checked = useMemo(() => check(draft), [draft]);
  const change = (changed: Bench): void => {
    setBench(changed);
    replaceParameters(route, benchToParameters(changed));
  };
  return (
    <>
      <h1>{t('nav_workbench')}</h1>
      <div class="workbench">
        <OneByOne>
          <>
            <div class="stack">
              <Editor bench={bench} checked={checked} onChange={change} />
              {checked.errors.length > 0 && (
                <Problems title={t('workbench_errors')} issues={checked.errors} />
              )}
              {checked.warnings.length > 0 && (
                <Problems title={t('tables_column_warnings')} issues={checked.warnings} />
              )}
              {checked.errors.length === 0 && <Valid effective={checked.effective} as={draft.as} />}
              <RegisterHere draft={draft} isValid={checked.errors.length === 0} />
            </div>
            <div class="stack answers">
              <Answers bench={bench} checked={checked} onChange={change} />
            </div>
          </>
          {checked.source !== null && (
            <div class="stack">
              <WorkbenchStates source={checked.source} />
              {draft.as !== 'trigger' && (
                <Outputs
                  source={checked.source}
                  draft={draft}
                  as={draft.as}
                  onChange={(changed) => change({ ...bench, draft: changed })}
                />
              )}
            </div>
          )}
        </OneByOne>
      </div>
    </>
  );
}

/** What the draft comes to. */
function Answers({
  bench,
  checked: { source, errors },
  onChange,
}: {
  readonly bench: Bench;
  readonly checked: Checked;
  readonly onChange: (bench: Bench) => void;
}): JSX.Element {
  const { draft, kept } = bench;
  const [entered, setEntered] = useState(firstEntered);
  const campaign = campaignOf(entered);
  const change = (changed: Draft): void => onChange({ draft: changed, kept });
  const comparison = kept !== null && (
    <Comparison draft={draft} kept={kept} campaign={campaign} onChange={onChange} />
  );
  if (source === null || draft.as === 'trigger')
    return (
      <OneByOne>
        <Card title={t('workbench_results')}>
          <p class="soft">{t(draft.as === 'trigger' ? 'workbench_of_conversion' : 'workbench_not_valid')}</p>
        </Card>
        {comparison}
      </OneByOne>
    );
  const figures = figuresOf(source, draft.as);
  return (
    <OneByOne>
      <Results
        source={source}
        figures={figures}
        beyond={errors[0] ?? null}
        onTurn={(knob, value) => change(turn(draft, knob, value, source))}
      />
      {comparison}
      <WorkbenchWindows draft={draft} source={source} onChange={change} />
      <ExpectedErrors source={source} entered={entered} campaign={campaign} onEnter={setEntered}>
        {campaign !== null && <ErrorCurves draft={draft} kept={kept} campaign={campaign} />}
        {campaign !== null && <CampaignRuns key={draft.text} draft={draft} campaign={campaign} />}
      </ExpectedErrors>
    </OneByOne>
  );
}

/** What can be reported instead, and how likely it is. */
function Outputs({
  source,
  draft,
  as,
  onChange,
}: {
  readonly source: SourceRegistration;
  readonly draft: Draft;
  readonly as: SourceType;
  readonly onChange: (draft: Draft) => void;
}): JSX.Element {
  const { states, epsilon } = figuresOf(source, as);
  return (
    <>
      <SuggestionCard source={source} draft={draft} onUse={onChange} />
      <Probabilities states={states} epsilon={epsilon} chosen={0n} truth={null} />
    </>
  );
}

const saveScenario = (draft: Draft): void =>
  download(
    'cointoss-registration-scenario.json',
    'application/json',
    `${JSON.stringify(scenarioOf(draft), null, 2)}\n`,
  );

const kinds: readonly (readonly [RegisterAs, string])[] = [
  ['navigation', t('workbench_as_navigation')],
  ['event', t('workbench_as_event')],
  ['trigger', t('workbench_as_trigger')],
];

function Editor({
  bench,
  checked,
  onChange,
}: {
  readonly bench: Bench;
  readonly checked: Checked;
  readonly onChange: (bench: Bench) => void;
}): JSX.Element {
  const { draft } = bench;
  const caret: Caret = useRef(null);
  const edit = (part: Partial<Draft>): void => onChange({ ...bench, draft: { ...draft, ...part } });
  return (
    <Card title={t('source_registration')}>
      <div class="row">
        <label for="register-as">{t('workbench_as')}</label>
        <Select id="register-as" of={kinds} value={draft.as} onChoose={(as) => edit({ as })} />
        <CopyButton
          id="share"
          label={t('workbench_share')}
          text={() => new URL(routeTo(['workbench'], benchToParameters(bench)), location.href).href}
          copied={t('workbench_copied')}
        />
        <CopyButton
          id="copy-markdown"
          label={t('share_markdown')}
          text={() => draftMarkdown(draft)}
          copied={t('share_markdown_copied')}
        />
        <button type="button" id="save-scenario" onClick={() => saveScenario(draft)}>
          {t('scenario_save')}
        </button>
        <button type="button" id="keep" onClick={() => onChange({ draft, kept: draft })}>
          {t('compare_keep')}
        </button>
      </div>
      <JsonEditor
        id="registration"
        label={t('workbench_json')}
        text={draft.text}
        caret={caret}
        errors={checked.errors}
        warnings={checked.warnings}
        completionsAt={(text, offset) => completionsAt(draft.as, text, offset)}
        onChange={(text) => onChange(benchOfLink(text) ?? { ...bench, draft: { ...draft, text } })}
      />
      <p class="small soft">{t('workbench_completion')}</p>
    </Card>
  );
}
