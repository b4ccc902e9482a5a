import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Json } from '../../../../src/model/json';
import { mistake, type Issue } from '../../../../formats/codec/mistakes';
import type { RecordingRule } from '../../../../recording/recording-rule';
import { defaultSettings } from '../../../../formats/settings/settings';
import { parseSettings } from '../../../../formats/settings/parse-settings';
import { readJsonText } from '../../../../formats/codec/json-text';
import { rich, t } from '../../../i18n';
import { words } from '../../../words';
import { messageOf } from '../../words/words';
import { tryRule, type RuleTrial } from '../../state/test-rule';
import { Card, Json as JsonBox } from '../../ui/basics';

const example: RecordingRule = {
  id: 'purchase',
  matches: ['https://shop.example/thanks*'],
  selector: null,
  on: 'visit',
  register: 'trigger',
  reportingOrigin: 'https://adtech.example',
  registration: {
    event_trigger_data: [
      { trigger_data: '1', value: { $extract: { selector: '.total', attribute: null, as: 'money' } } },
    ],
  },
};

export function RulesEditor({
  rules,
  onChange,
}: {
  readonly rules: readonly RecordingRule[];
  readonly onChange: (rules: readonly Json[]) => void;
}): JSX.Element {
  const [isAdding, setIsAdding] = useState(false);
  const asJson = rules as unknown as readonly Json[];
  const ids = new Set(rules.map(({ id }) => id));
  return (
    <Card title={t('rules_title')}>
      <p class="soft">{t('rules_about')}</p>
      {rules.length === 0 && !isAdding && <p>{t('rules_none')}</p>}
      {rules.map((rule, index) => (
        <RuleField
          key={rule.id}
          label={t('rules_rule', { id: rule.id })}
          rule={rule}
          ids={ids}
          onSave={(saved) => onChange(asJson.map((old, other) => (other === index ? saved : old)))}
          onRemove={() => onChange(asJson.filter((_, other) => other !== index))}
        />
      ))}
      {isAdding ? (
        <RuleField
          label={t('rules_new')}
          rule={example}
          isNew
          ids={ids}
          onSave={(saved) => {
            onChange([...asJson, saved]);
            setIsAdding(false);
          }}
          onRemove={() => setIsAdding(false)}
        />
      ) : (
        <div class="row">
          <button type="button" id="add-rule" onClick={() => setIsAdding(true)}>
            {t('rules_add')}
          </button>
        </div>
      )}
    </Card>
  );
}

interface FieldProperties {
  readonly label: string;
  readonly rule: RecordingRule;
  readonly isNew?: boolean;
  /** Of all rules that are saved. */
  readonly ids: ReadonlySet<string>;
  readonly onSave: (rule: Json) => void;
  readonly onRemove: () => void;
}

function RuleField({ label, rule, isNew = false, ids, onSave, onRemove }: FieldProperties): JSX.Element {
  const before = JSON.stringify(rule, null, 2);
  const [text, setText] = useState(before);
  const [trial, setTrial] = useState<RuleTrial | string | null>(null);
  // At once: an effect after the next frame would undo what a person has begun to type.
  useLayoutEffect(() => setText(before), [before]);
  const { parsed, problems } = check(text, (id) => ids.has(id) && (isNew || id !== rule.id));
  const id = `rule-${isNew ? 'new' : rule.id}`;
  const test = (): void => {
    if (parsed === null) return;
    tryRule(parsed).then(setTrial, (error: unknown) => setTrial(messageOf(error)));
  };
  return (
    <fieldset class="rule">
      <legend>{label}</legend>
      <textarea
        id={id}
        class="code"
        rows={Math.min(18, text.split('\n').length + 1)}
        aria-label={label}
        aria-invalid={problems.length > 0}
        aria-describedby={`${id}-problems`}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <ul class="issues bad" id={`${id}-problems`} role="status">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
      <div class="row">
        <button
          type="button"
          class="primary"
          disabled={problems.length > 0 || (!isNew && text === before)}
          onClick={() => onSave(JSON.parse(text) as Json)}
        >
          {t('rules_save')}
        </button>
        <button type="button" disabled={parsed === null} onClick={test}>
          {t('rules_test')}
        </button>
        <button type="button" class="plain" onClick={onRemove}>
          {isNew ? t('rules_cancel') : t('rules_remove')}
        </button>
      </div>
      {trial !== null && <Trial trial={trial} />}
    </fieldset>
  );
}

/** Paths are relative to the rule. @param isTaken whether another rule has this id */
function check(
  text: string,
  isTaken: (id: string) => boolean,
): { parsed: RecordingRule | null; problems: readonly string[] } {
  const { value: json, problem } = readJsonText(text);
  if (problem !== null)
    return { parsed: null, problems: [t('rules_not_json', { problem: words.mistakeText(problem) })] };
  const { value, errors, warnings } = parseSettings({ rules: [json] }, defaultSettings);
  const parsed = value?.rules[0] ?? null;
  const repeated: readonly Issue[] =
    parsed !== null && isTaken(parsed.id)
      ? [{ path: '', ...mistake('repeated-rule', { id: parsed.id }) }]
      : [];
  const issues = [...errors, ...warnings, ...repeated].map((issue) => ({
    ...issue,
    path: issue.path.replace(/^rules(\[0\])?\.?/, ''),
  }));
  return { parsed, problems: issues.map(words.issueSentence) };
}

function Trial({ trial }: { readonly trial: RuleTrial | string }): JSX.Element {
  if (typeof trial === 'string')
    return (
      <p class="banner error rule-trial" role="alert">
        {trial}
      </p>
    );
  return (
    <div class="stack rule-trial" role="status">
      <p>
        {rich('rules_trial', {
          url: trial.url,
          fits: trial.matchesPage ? 'yes' : 'no',
          n: trial.count,
          page: (parts) => <span class="break">{parts}</span>,
        })}
      </p>
      {trial.count > 0 && <JsonBox value={trial.registration} label={t('rules_would_register')} />}
      {trial.errors.map((error) => (
        <p key={words.issueSentence(error)} class="bad">
          <code>{error.path}</code> {words.mistakeText(error)}
        </p>
      ))}
    </div>
  );
}
