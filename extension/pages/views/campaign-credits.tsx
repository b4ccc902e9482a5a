import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { AttributionModel } from '../../../src/model/mechanisms';
import { PlainTable } from '../../../ui/fitting-table';
import { t } from '../../i18n';
import type { TriggerEntry } from '../data/trigger-entry';
import { campaignCredits, type CampaignCredits } from '../explain/campaign-credits';
import { channelColumns } from '../explain/learned-credits';
import { Card } from '../ui/basics';
import { modelName } from '../words/model-names';
import { showDecimal } from '../words/words';
import { Channel, ColumnChoice, useNewestEntries } from './learned-credits';

/** Which campaign gets how many conversions under each model, the one in force first. */
export function CampaignCreditsCard({
  entries,
  models: all,
  inForce,
}: {
  readonly entries: readonly TriggerEntry[];
  readonly models: readonly AttributionModel[];
  readonly inForce: AttributionModel['kind'];
}): JSX.Element | null {
  const log = useNewestEntries();
  const [wanted, setWanted] = useState<string | null>(null);
  const columns = useMemo(() => channelColumns(log ?? []), [log]);
  const column = columns.find((one) => one === wanted) ?? columns[0] ?? '';
  const models = useMemo(
    () => [...all].sort((a, b) => Number(b.kind === inForce) - Number(a.kind === inForce)),
    [all, inForce],
  );
  const found = useMemo(
    () => (log === null ? null : campaignCredits(entries, log, column, models)),
    [entries, log, column, models],
  );
  if (found === null || found.conversions === 0) return null;
  const names = models.map(({ kind }) =>
    kind === inForce ? t('credits_in_force', { model: modelName(kind) }) : modelName(kind),
  );
  const winnersOf = found.winners.map((campaigns) => new Set(campaigns));
  return (
    <Card title={t('winners_title')}>
      <ColumnChoice
        id="campaign-column"
        label={t('winners_column')}
        columns={columns}
        column={column}
        onChoose={setWanted}
      />
      <Result found={found} column={column} />
      <PlainTable id="campaign-credits" head={[t('winners_campaign'), ...names]}>
        <tr>
          <th scope="row">{t('winners_total')}</th>
          {names.map((name) => (
            <td key={name}>{showDecimal(found.conversions, 4)}</td>
          ))}
        </tr>
        {found.rows.map(({ campaign, credits }) => (
          <tr key={campaign}>
            <th scope="row">
              <CampaignName of={campaign} column={column} />
            </th>
            {credits.map((credit, place) => (
              <td key={names[place]}>
                <span class={campaign !== null && winnersOf[place]?.has(campaign) === true ? 'strong' : ''}>
                  {showDecimal(credit, 4)}
                </span>
              </td>
            ))}
          </tr>
        ))}
      </PlainTable>
      <p class="soft">{t('winners_meaning', { n: found.conversions })}</p>
    </Card>
  );
}

function Result({
  found: { winners, verdict },
  column,
}: {
  readonly found: CampaignCredits;
  readonly column: string;
}): JSX.Element {
  const always = verdict === 'same' || verdict === 'tied' ? (winners[0] ?? []) : [];
  return (
    <p id="campaign-verdict">
      {t('winners_verdict', { verdict })}{' '}
      {always.map((winner, index) => (
        <strong key={winner}>
          {index > 0 && ', '}
          <CampaignName of={winner} column={column} />
        </strong>
      ))}
    </p>
  );
}

function CampaignName({ of, column }: { readonly of: string | null; readonly column: string }): JSX.Element {
  if (of === null) return <>{t('winners_unknown')}</>;
  return <Channel of={of} isOrigin={column === 'reporting_origin'} />;
}
