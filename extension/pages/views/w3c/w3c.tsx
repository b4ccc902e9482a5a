import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { W3cView } from '../../../messages';
import { rich, t } from '../../../i18n';
import { ask } from '../../state/ask';
import { repeatedly } from '../../state/repeatedly';
import { useSession } from '../../state/session';
import { Card, Definitions, Empty } from '../../ui/basics';
import { linkTo } from '../../ui/tags';
import { showExactTime, showNumber, showTime } from '../../words/words';
import { CallDetails } from './call';
import { showEpsilon } from './epsilon';
import { TableHead } from '../../../../ui/table-head';

const REFRESH = 2000;
const STEP = 20;
/** The draft fixes it. */
const EPOCH = 7 * 86_400_000;

/** W3C Attribution on this device: the calls with their reasons, the impressions, and what is left of budgets. */
export function W3c(): JSX.Element {
  const { snapshot } = useSession();
  return (
    <>
      <h1>{t('nav_w3c')}</h1>
      {snapshot === null ? <OfDevice /> : <p class="banner info">{t('w3c_file')}</p>}
    </>
  );
}

function OfDevice(): JSX.Element | null {
  const { settings, overview } = useSession();
  const [view, setView] = useState<W3cView | null>(null);
  useEffect(() => {
    const refresh = async (): Promise<void> => setView(await ask({ kind: 'w3c' }));
    void refresh();
    return repeatedly(() => refresh().catch(() => undefined), REFRESH);
  }, []);
  if (view === null) return null;
  const options = linkTo('options.html');
  return (
    <>
      <Card>
        <p>{t('w3c_what')}</p>
        {!settings.w3cAttribution && <p id="w3c-off">{rich('w3c_off', { link: options })}</p>}
        {settings.w3cAttribution && settings.aggregationKeys.length === 0 && (
          <p class="warn">{rich('w3c_no_key', { link: options })}</p>
        )}
        <Epochs view={view} now={overview.now} />
      </Card>
      <Calls view={view} />
      <Impressions view={view} />
      <Budgets view={view} />
    </>
  );
}

function Epochs({ view, now }: { readonly view: W3cView; readonly now: number }): JSX.Element {
  const { epochStart: start, lastClear } = view.state;
  const epochOf = (time: number): number => (start === null ? 0 : Math.floor((time - start) / EPOCH));
  const epoch = epochOf(now);
  return (
    <Definitions
      of={[
        [
          t('w3c_epoch'),
          start === null
            ? t('w3c_epoch_none')
            : t('w3c_epoch_is', { epoch, end: showExactTime(start + (epoch + 1) * EPOCH) }),
        ],
        [
          t('w3c_cleared'),
          lastClear === null || start === null
            ? null
            : t('w3c_cleared_is', { time: showExactTime(lastClear), epoch: epochOf(lastClear) }),
        ],
      ]}
    />
  );
}

function Calls({ view }: { readonly view: W3cView }): JSX.Element {
  const [shown, setShown] = useState(STEP);
  const calls = view.calls.slice(-shown).reverse();
  return (
    <Card title={t('w3c_calls')}>
      {calls.length === 0 && <Empty>{t('w3c_calls_none')}</Empty>}
      {calls.map((call) => (
        <CallDetails key={call.id} call={call} />
      ))}
      {view.calls.length > shown && (
        <button type="button" onClick={() => setShown(shown + STEP)}>
          {t('w3c_more')}
        </button>
      )}
    </Card>
  );
}

/** Rows below their headings, or where it is narrow, with the heading of each cell beside it. */
function Rows({
  headings,
  rows,
}: {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly [key: string | number, ...cells: readonly ComponentChildren[]])[];
}): JSX.Element {
  return (
    <table class="plain-table folding">
      <TableHead of={headings} />
      <tbody>
        {rows.map(([key, ...cells]) => (
          <tr key={key}>
            {cells.map((cell, column) => (
              <td key={column} data-heading={headings[column]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Impressions({ view }: { readonly view: W3cView }): JSX.Element {
  const [shown, setShown] = useState(STEP);
  const headings = [
    t('ui_number'),
    t('tables_column_time'),
    t('w3c_saved_by'),
    t('w3c_bucket'),
    t('tables_column_purpose'),
    t('trial_until'),
  ];
  return (
    <Card title={t('tables_column_impressions')}>
      {view.impressions.length === 0 ? (
        <Empty>{t('w3c_impressions_none')}</Empty>
      ) : (
        <Rows
          headings={headings}
          rows={view.impressions
            .slice(-shown)
            .reverse()
            .map((one) => [
              one.id,
              one.id,
              showTime(one.time),
              one.intermediarySite === null ? one.site : byWhom(one.intermediarySite, one.site),
              showNumber(one.histogramIndex),
              one.conversionSites.length === 0 ? t('w3c_for_all') : one.conversionSites.join(', '),
              showTime(one.time + one.lifetime),
            ])}
        />
      )}
      {view.impressions.length > shown && (
        <button type="button" onClick={() => setShown(shown + STEP)}>
          {t('w3c_more')}
        </button>
      )}
    </Card>
  );
}

const byWhom = (caller: string, site: string): string => t('w3c_by', { caller, site });

function Budgets({ view }: { readonly view: W3cView }): JSX.Element {
  const most = {
    site: view.limits.perSitePrivacyBudget,
    all: view.limits.globalPrivacyBudgetPerEpoch,
    quota: view.limits.impressionSiteQuotaPerEpoch,
  };
  const budgets = [...view.budgets].sort((a, b) => b.epoch - a.epoch || (a.id < b.id ? -1 : 1));
  return (
    <Card title={t('w3c_budgets')}>
      {budgets.length === 0 ? (
        <Empty>{t('w3c_budgets_none')}</Empty>
      ) : (
        <Rows
          headings={[t('w3c_epoch_column'), t('w3c_budget_of'), t('w3c_left')]}
          rows={budgets.map(({ id, epoch, kind, site, left }) => [
            id,
            epoch,
            ofWhom[kind](site ?? ''),
            `${showEpsilon(left)} / ${showEpsilon(most[kind])}`,
          ])}
        />
      )}
    </Card>
  );
}

const ofWhom: Readonly<Record<W3cView['budgets'][number]['kind'], (site: string) => string>> = {
  site: (site) => t('w3c_of_site', { site }),
  all: () => t('w3c_of_all'),
  quota: (site) => t('w3c_of_quota', { site }),
};
