import type { ComponentChildren, JSX } from 'preact';
import { serializeTrial } from '../../../../formats/settings/parse-trial';
import type { Trial } from '../../../../formats/settings/trial';
import { forReader, t } from '../../../i18n';
import { differences, type Path } from '../../explain/json-differences';
import { showExactTime, showTime } from '../../words/words';
import { Card } from '../../ui/basics';
import { Foreign } from '../../ui/foreign';
import { Unmasked } from '../../ui/unmasked';
import { Contact, Title } from './trial-card';
import { labelOf, NONE, shownValues } from './trial-fields';
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

interface Rows {
  /** Who gets what, until when. */
  readonly always: readonly Row[];
  /** What else differs. */
  readonly others: readonly Row[];
  /** How many further values differ. */
  readonly left: number;
}

/** Two trials side by side: first who gets what in both, then what else differs. */
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
  const { always, others, left } = rowsOf(agreed, offered);
  return (
    <Card title={t('compare_title')}>
      <table class="comparison" id="comparison">
        <TableHead of={[t(isRunning ? 'compare_running' : 'compare_agreed'), t('compare_offered')]} />
        {[...always, ...others].map(({ label, cells, differs }, index) => (
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
        {left > 0 && (
          <tbody>
            <tr>
              <th colSpan={2}>{t('compare_more', { n: left })}</th>
            </tr>
          </tbody>
        )}
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

function rowsOf(agreed: Compared, offered: Compared): Rows {
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
  const { others, left } = otherRows(agreed.trial, offered.trial);
  return { always, others: [...texts.filter(({ differs }) => differs), ...others], left };
}

/** The fields that have rows of their own. */
const ownRows = new Set(['title', 'researcher', 'information', 'start', 'end']);
const hasOwnRow = ([first, second]: Path): boolean =>
  ownRows.has(String(first)) ||
  (first === 'settings' && second === 'collector') ||
  (first === 'tokens' && second === 'until');

/** Whether a difference can mean that somebody else gets, or can read, reports: none of these may be left out. */
const isRecipient = ([first, second, ...within]: Path): boolean =>
  first === 'settings' &&
  (second === 'aggregationKeys' ||
    // A whole rule, all of them in another order, or where one reports to.
    (second === 'rules' && (within.length < 2 || within[1] === 'reportingOrigin')));

/** Of those that are about no recipient. */
const MOST_ROWS = 100;

/** All other fields that differ, whatever a trial can say: recipients first. */
function otherRows(agreed: Trial, offered: Trial): Pick<Rows, 'others' | 'left'> {
  const all = differences([], serializeTrial(agreed), serializeTrial(offered)).filter(
    ({ path }) => !hasOwnRow(path),
  );
  const [recipients, rest] = [true, false].map((is) => all.filter(({ path }) => isRecipient(path) === is));
  const shown = [...(recipients ?? []), ...(rest ?? []).slice(0, MOST_ROWS)];
  return {
    others: shown.map(({ path, values }) => ({
      label: labelOf(path),
      cells: shownValues(path, values),
      differs: true,
    })),
    left: all.length - shown.length,
  };
}

const textKey = (text: Trial['title']): string =>
  typeof text === 'string' ? text : canonical(Object.fromEntries([...text]));

const tokensEnd = ({ tokens }: Trial): number | null => tokens?.periods.at(-1)?.until ?? null;
