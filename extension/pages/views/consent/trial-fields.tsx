import { Fragment, type ComponentChildren, type JSX } from 'preact';
import { canonical } from '../../../../formats/codec/plain-json';
import type { Json } from '../../../../src/model/json';
import { t } from '../../../i18n';
import { isList, unmatched, type Path } from '../../explain/json-differences';
import { exactNumber } from '../../words/typed-numbers';
import { settingGroups, valueInWords, type SettingEntry } from '../options/entries';
import { shapeWithin } from '../options/shape';
import { choiceNames, fieldNames, kindName } from '../options/shape-words';

/* What a field of a trial is called, and its values, for the comparison of two trials. */

export const NONE = '–';

/** Of what is no setting of the options page. */
const labels: readonly (readonly [path: string, label: string])[] = [
  ['id', t('compare_id')],
  ['version', t('compare_version')],
  ['registrations', t('compare_registrations')],
  ['tokens.batch', t('compare_token_batch')],
  ['tokens.periods', t('compare_token_periods')],
  ['settings.rules', t('rules_title')],
];

const settingEntries = settingGroups.flatMap(({ entries }) => entries);

/** Where in a field a path leads; empty to the field itself, null to another one. */
function withinField(field: string, path: Path): Path | null {
  const steps = field.split('.');
  return steps.every((step, index) => path[index] === step) ? path.slice(steps.length) : null;
}

interface PlaceInSetting {
  readonly entry: SettingEntry;
  readonly within: Path;
}

/** The setting that has a value, and where in it. */
function settingOf(path: Path): PlaceInSetting | null {
  for (const entry of settingEntries) {
    const within = withinField(`settings.${entry.path}`, path);
    if (within !== null) return { entry, within };
  }
  return null;
}

/** As the options page names it, or otherwise by the names in JSON. */
export function labelOf(path: Path): ComponentChildren {
  const setting = settingOf(path);
  if (setting !== null) {
    // The kind is what the setting's own name stands for.
    const within = setting.within.filter((step) => step !== 'kind');
    return [setting.entry.title, ...within.map(stepInWords)].join(': ');
  }
  for (const [field, label] of labels) {
    const within = withinField(field, path);
    if (within?.length === 0) return label;
    if (within !== null)
      return (
        <>
          {label}: <Steps of={within} />
        </>
      );
  }
  return <Steps of={path} />;
}

const stepInWords = (step: string | number): string =>
  typeof step === 'number' ? t('settings_entry', { n: step + 1 }) : (nameIn(fieldNames, step) ?? step);

const nameIn = (names: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(names, name) ? (names[name] ?? null) : null;

/** As errors name places: `[1].selector`. Whoever wrote the trial chose some names, so none may change the direction of other text. */
const Steps = ({ of }: { readonly of: Path }): JSX.Element => (
  <code>
    {of.map((step, index) => (
      <Fragment key={index}>
        {typeof step === 'number' ? `[${step}]` : index > 0 && '.'}
        {typeof step === 'string' && <bdi>{step}</bdi>}
      </Fragment>
    ))}
  </code>
);

/** Both values of a field, each so exact that different values look different. */
export function shownValues(
  path: Path,
  values: readonly [before: Json, after: Json],
): readonly [ComponentChildren, ComponentChildren] {
  const setting = settingOf(path);
  const [before, after] = values;
  if (isList(before) && isList(after)) return shownLists(before, after);
  return [shown(setting, before), shown(setting, after)];
}

function shown(setting: PlaceInSetting | null, value: Json): ComponentChildren {
  const words = setting === null ? null : inWords(setting, value);
  if (words !== null) return <span class="break">{words}</span>;
  return value === null || (isList(value) && value.length === 0) ? NONE : <Code of={canonical(value)} />;
}

/** Null: a value that only JSON can show. */
function inWords({ entry: { control }, within }: PlaceInSetting, value: Json): string | null {
  if (typeof value === 'number') return exactNumber(value);
  if (within.length === 0)
    return value !== null && typeof value === 'object' ? null : valueInWords(control, value);
  if (typeof value !== 'string' || control.kind !== 'shape') return null;
  if (within.at(-1) === 'kind') return kindName(value);
  return shapeWithin(control.shape, within)?.kind === 'choice' ? nameIn(choiceNames, value) : null;
}

/** A list that is longer leaves out the items that the other one has, too. */
const MOST_ITEMS = 20;

function shownLists(
  before: readonly Json[],
  after: readonly Json[],
): readonly [ComponentChildren, ComponentChildren] {
  const { left, right, isMoved } = unmatched(before, after);
  const isWhole = isMoved || Math.max(before.length, after.length) <= MOST_ITEMS;
  const show = (list: readonly Json[], only: readonly number[]): ComponentChildren => {
    if (list.length === 0) return NONE;
    if (isWhole) return <Code of={canonical(list)} />;
    const shared = list.length - only.length;
    const items = only.map((index) => canonical(list[index] ?? null)).join(', ');
    const rest = shared === 0 ? '' : t('compare_shared', { n: shared });
    return <Code of={[items, rest].filter((part) => part !== '').join(', ')} />;
  };
  return [show(before, left), show(after, right)];
}

const Code = ({ of }: { readonly of: string }): JSX.Element => <code class="break">{of}</code>;
