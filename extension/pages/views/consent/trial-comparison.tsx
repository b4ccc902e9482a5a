import type { ComponentChildren, JSX } from 'preact';
import type { Json } from '../../../../src/model/json';
import { serializeTrial } from '../../../../formats/settings/parse-trial';
import type { Trial } from '../../../../formats/settings/trial';
import { forReader, t } from '../../../i18n';
import { differences } from '../../explain/json-differences';
import { showExactTime, showTime } from '../../words/words';
import { Card } from '../../ui/basics';
import { Foreign } from '../../ui/foreign';
import { Unmasked } from '../../ui/unmasked';
import { settingGroups, valueInWords, type SettingEntry } from '../options/entries';
import { Contact, Title } from './trial-card';
import { canonical } from '../../../../formats/codec/plain-json';
import { TableHead } from '../../../../ui/table-head';

/** A trial, and the fingerprint of the key that signed it; null: not signed. */
export interface Compared {
  readonly trial: Trial;
  readonly signer: string | null;
}

interface Row {
  readonly label: ComponentChildren;
  readonly cells: readonly [ComponentChildren, ComponentChildren];
  readonly differs: boolean;
}

/** Two trials side by side: first what differs, then who gets what in both. */
export function TrialComparison({
  agreed,
  offered,
  isRunning,
}: {
  readonly agreed: Compared;
  readonly offered: Compared;
  /** Whether the one that was agreed to goes on. */
  readonly isRunning: boolean;
}): JSX.Element {
  const rows = rowsOf(agreed, offered);
  const [differing, same] = [rows.filter(({ differs }) => differs), rows.filter(({ differs }) => !differs)];
  return (
    <Card title={t('compare_title')}>
      <table class="comparison" id="comparison">
        <TableHead of={[t(isRunning ? 'compare_running' : 'compare_agreed'), t('compare_offered')]} />
        {[...differing, ...same].map(({ label, cells, differs }, index) => (
          <tbody key={index} class={differs ? 'differs' : 'same'}>
            <tr>
              <th colSpan={2} scope="rowgroup">
                {label} <span class="soft small">{t(differs ? 'compare_differs' : 'compare_same')}</span>
              </th>
            </tr>
            <tr>
              <td>{cells[0]}</td>
              <td>{cells[1]}</td>
            </tr>
          </tbody>
        ))}
      </table>
    </Card>
  );
}

/** The shortest form in which different times look different. */
function inTime(agreed: number | null, offered: number | null): (time: number) => string {
  const tells = (form: (time: number) => string): boolean =>
    agreed === null || offered === null || agreed === offered || form(agreed) !== form(offered);
  return [showTime, showExactTime].find(tells) ?? ((time) => new Date(time).toISOString());
}

function rowsOf(agreed: Compared, offered: Compared): readonly Row[] {
  const row = (
    label: ComponentChildren,
    value: (of: Compared) => string,
    show: (of: Compared) => ComponentChildren = value,
  ): Row => ({
    label,
    cells: [show(agreed), show(offered)],
    differs: value(agreed) !== value(offered),
  });
  const always = [
    // With its scheme: http on this device is another recipient than https.
    row(t('overview_collector'), ({ trial: { settings } }) => settings.collector ?? t('compare_origins')),
    row(
      t('trial_run_by'),
      ({ trial }) => trial.researcher.name,
      ({ trial }) => <Unmasked text={trial.researcher.name} />,
    ),
    row(
      t('trial_contact'),
      ({ trial }) => trial.researcher.contact,
      ({ trial }) => <Contact of={trial.researcher.contact} />,
    ),
    row(t('trial_signed_by'), ({ signer }) => signer ?? t('trial_not_signed')),
    row(
      t('trial_until'),
      ({ trial }) => String(trial.end),
      ({ trial }) => inTime(agreed.trial.end, offered.trial.end)(trial.end),
    ),
  ];
  const texts = [
    row(
      t('compare_name'),
      ({ trial }) => textKey(trial.title),
      ({ trial }) => <Title of={trial.title} />,
    ),
    row(
      t('compare_information'),
      ({ trial }) => textKey(trial.information),
      ({ trial }) => (
        <div class="information">
          <Foreign {...forReader(trial.information)} />
        </div>
      ),
    ),
    row(
      t('data_from'),
      ({ trial }) => String(trial.start),
      ({ trial }) =>
        trial.start === null
          ? t('trial_from_consent')
          : inTime(agreed.trial.start, offered.trial.start)(trial.start),
    ),
    row(
      t('compare_token_until'),
      ({ trial }) => String(tokensEnd(trial)),
      ({ trial }) => {
        const until = tokensEnd(trial);
        return until === null ? NONE : inTime(tokensEnd(agreed.trial), tokensEnd(offered.trial))(until);
      },
    ),
  ];
  return [...always, ...texts.filter(({ differs }) => differs), ...otherRows(agreed.trial, offered.trial)];
}

/** The fields that have rows of their own. */
const OWN_ROWS = /^(title|researcher|information|start|end|settings\.collector|tokens\.until)\b/;

/** All other fields that differ, whatever a trial can say. */
const otherRows = (agreed: Trial, offered: Trial): readonly Row[] =>
  differences('', serializeTrial(agreed), serializeTrial(offered))
    .filter(({ path }) => !OWN_ROWS.test(path))
    .map(({ path, values: [before, after] }) => ({
      label: labelOf(path),
      cells: [shown(path, before), shown(path, after)],
      differs: true,
    }));

/** Of what is no setting of the options page. */
const labels: readonly (readonly [path: string, label: string])[] = [
  ['id', t('compare_id')],
  ['version', t('compare_version')],
  ['registrations', t('compare_registrations')],
  ['tokens.batch', t('compare_token_batch')],
  ['tokens.periods', t('compare_token_periods')],
  ['settings.rules', t('rules_title')],
];

const NONE = '–';
const SETTINGS = 'settings.';
const settingEntries = settingGroups.flatMap(({ entries }) => entries);

/** Where in a field a path leads; empty to the field itself, null to another one. */
function withinField(field: string, path: string): string | null {
  const rest = path.startsWith(field) ? path.slice(field.length) : null;
  return rest === null || rest === '' || rest.startsWith('[')
    ? rest
    : rest.startsWith('.')
      ? rest.slice(1)
      : null;
}

/** The setting that has a value, and where in it. */
function settingOf(path: string): { readonly entry: SettingEntry; readonly within: string } | null {
  for (const entry of settingEntries) {
    const within = withinField(`${SETTINGS}${entry.path}`, path);
    if (within !== null) return { entry, within };
  }
  return null;
}

/** As the options page names it, or else this one. What is within an object or a list stands there under its path, too. */
export function labelOf(path: string): ComponentChildren {
  const setting = settingOf(path);
  if (setting !== null) return titled(setting.entry.title, setting.within);
  for (const [field, label] of labels) {
    const within = withinField(field, path);
    if (within !== null) return titled(label, within);
  }
  return <code>{path}</code>;
}

const titled = (title: string, within: string): ComponentChildren =>
  within === '' ? (
    title
  ) : (
    <>
      {title}: <code>{within}</code>
    </>
  );

function shown(name: string, value: Json): ComponentChildren {
  const setting = settingOf(name);
  if (setting?.within === '') return <span class="break">{valueInWords(setting.entry.control, value)}</span>;
  const isNone = value === null || (Array.isArray(value) && value.length === 0);
  return isNone ? NONE : <code class="break">{canonical(value)}</code>;
}

const textKey = (text: Trial['title']): string =>
  typeof text === 'string' ? text : canonical(Object.fromEntries([...text]));

const tokensEnd = ({ tokens }: Trial): number | null => tokens?.periods.at(-1)?.until ?? null;
