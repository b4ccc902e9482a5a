import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { isPrivate, modelsBeside } from '../../../analysis/credits/models';
import { FittingTable, PlainTable } from '../../../ui/fitting-table';
import { modelName } from '../words/model-names';
import { utilityPromises } from '../explain/compare-models';
import type { AttributionModel, PrivateModel } from '../../../src/model/mechanisms';
import { triggers } from '../tables/triggers';
import type { TriggerEntry } from '../data/trigger-entry';
import { candidatesOf, disagreement, modelsDiffer, sharesFor } from '../explain/model-comparison';
import { t } from '../../i18n';
import { routeTo, type Route } from '../state/route';
import { useDataset, useSession } from '../state/session';
import { useLoaded } from '../state/use-stored';
import { emptyWords } from '../words/empty-words';
import { showDecimal, showDuration, showTimeIn } from '../words/words';
import { Card, Chip, Empty, Moment } from '../ui/basics';
import { CandidateAxis } from '../ui/candidate-axis';
import { CampaignCreditsCard } from './campaign-credits';
import { LearnedCreditsCard } from './learned-credits';

/** The most triggers on which models are compared. */
const COMPARED = 300;
const SHOWN = 10;

/** Compares which sources each model would credit, on this browser's own records. */
export function AttributionView({ route }: { readonly route: Route }): JSX.Element {
  const { overview, settings, truth, site } = useSession();
  const entries = useConversions();
  const [, wanted] = route.path;
  const chosen = settings.attribution;
  const models = useMemo(() => modelsBeside(chosen), [chosen]);
  const matched = (entries ?? []).filter((entry) => candidatesOf(entry).length > 0);
  const shown =
    wanted === undefined
      ? matched.filter((entry) => modelsDiffer(models, entry))
      : (entries ?? []).filter((entry) => entry.id === Number(wanted));
  const agreed = wanted === undefined ? matched.length - shown.length : 0;
  return (
    <>
      <h1>{t('nav_attribution')}</h1>
      {wanted === undefined && (
        <CampaignCreditsCard entries={entries ?? []} models={models} inForce={chosen.kind} />
      )}
      <Card title={t('attribution_in_force')}>
        <p>
          <Chip tone="good">{modelName(chosen.kind)}</Chip>{' '}
          <a href="options.html">{t('attribution_change')}</a>
        </p>
        <Utility model={models.find(isPrivate) ?? null} inForce={isPrivate(chosen)} />
      </Card>
      <Card title={t('attribution_differences')}>
        <Differences models={models} entries={entries ?? []} />
      </Card>
      {site === null && <LearnedCreditsCard />}
      {shown.length === 0 && agreed === 0 && <Empty>{emptyWords(overview, t('attribution_empty'))}</Empty>}
      {shown.slice(0, SHOWN).map((entry) => (
        <Conversion key={entry.id} entry={entry} models={models} truth={truth} />
      ))}
      {agreed > 0 && (
        <p class="soft" id="agreed">
          {t('attribution_agreed', { n: agreed, others: shown.length })}
        </p>
      )}
    </>
  );
}

function useConversions(): readonly TriggerEntry[] | null | undefined {
  const { reader, site } = useSession();
  const dataset = useDataset(triggers);
  return useLoaded(async () => {
    const items = [...dataset.items.values()].filter(({ sites }) => site === null || sites.includes(site));
    const ids = items.map(({ id }) => id).sort((a, b) => b - a);
    const found = await Promise.all(ids.slice(0, COMPARED).map((id) => reader.get('log', id)));
    return found.flatMap((entry) => (entry?.kind === 'trigger' ? [entry] : []));
  }, [reader, dataset.version, site]);
}

/** What the utility theorem promises. */
function Utility({
  model,
  inForce,
}: {
  readonly model: PrivateModel | null;
  readonly inForce: boolean;
}): JSX.Element | null {
  if (model === null) return null;
  const promises = utilityPromises(model, [2, 3, 5, 10], [1, 2, 3]);
  const probabilities = [...new Set(promises.map(({ probability }) => probability))];
  const shown = probabilities[1] ?? 0;
  const timeOf = (number: number, digits?: number): string => showTimeIn(model.unit, number, digits);
  const within = (clicks: number, probability: number): string | null => {
    const promise = promises.find((each) => each.clicks === clicks && each.probability === probability);
    return promise?.within == null ? null : timeOf(promise.within, 3);
  };
  return (
    <>
      <p id="utility">
        {t('attribution_promise', {
          where: inForce ? 'settings' : 'below',
          epsilon: showDecimal(model.epsilon),
          score: model.score,
          tau: timeOf(model.tau),
          gap: model.gap === null ? 'none' : timeOf(model.gap),
          within: within(2, shown) ?? 'none',
          probability: percent(shown),
        })}
      </p>
      <PlainTable
        id="utility-table"
        head={[
          t('attribution_candidates'),
          ...probabilities.map((probability) =>
            t('attribution_with_probability', { probability: percent(probability) }),
          ),
        ]}
      >
        {[2, 3, 5, 10].map((clicks) => (
          <tr key={clicks}>
            <th scope="row">{clicks}</th>
            {probabilities.map((probability) => (
              <td key={probability}>
                {t('attribution_within', { time: within(clicks, probability) ?? 'none' })}
              </td>
            ))}
          </tr>
        ))}
      </PlainTable>
    </>
  );
}

/** Compares with the last touch and with the model in force, the usual references. */
function Differences({
  models,
  entries,
}: {
  readonly models: readonly AttributionModel[];
  readonly entries: readonly TriggerEntry[];
}): JSX.Element {
  const several = entries.filter((entry) => candidatesOf(entry).length > 1).length;
  const last: AttributionModel = { kind: 'last-touch' };
  return (
    <>
      <p class="soft">{t('attribution_compared', { n: entries.length, several })}</p>
      <div class="bars" id="differences">
        {models.map((model) => {
          const share = disagreement(model, last, entries);
          return (
            <div class="bar-row" key={model.kind}>
              <span>{modelName(model.kind)}</span>
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${share * 100}%` }} />
              </span>
              <span class="number">{percent(share)}</span>
            </div>
          );
        })}
      </div>
    </>
  );
}

/** The candidates of a trigger on a line, and how each model credits them. */
function Conversion({
  entry,
  models,
  truth,
}: {
  readonly entry: TriggerEntry;
  readonly models: readonly AttributionModel[];
  readonly truth: boolean;
}): JSX.Element {
  const { overview } = useSession();
  const candidates = candidatesOf(entry);
  return (
    <Card>
      <h2>
        <a href={routeTo(['triggers', entry.id])}>{t('attribution_conversion', { id: entry.id })}</a>{' '}
        <span class="soft small">
          <Moment time={entry.time} now={overview.now} />
        </span>
      </h2>
      <CandidateAxis entry={entry} candidates={candidates} />
      <FittingTable>
        <table class="plain-table models" data-conversion={entry.id}>
          <thead>
            <tr>
              <th scope="col">{t('settings_model_title')}</th>
              {candidates.map(({ id, time, verdict }) => (
                <th scope="col" key={id}>
                  <a href={routeTo(['sources', id])}>{t('attribution_source', { id })}</a>
                  <br />
                  {t('attribution_before', { span: showDuration(Math.max(0, entry.time - time)) })}
                  {truth && verdict === 'chosen' && (
                    <>
                      {' '}
                      <Chip tone="good">{t('explain_outcome_credited')}</Chip>
                    </>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <tr key={model.kind}>
                <th scope="row">{modelName(model.kind)}</th>
                {sharesFor(model, entry).map((share, index) => (
                  <td key={candidates[index]?.id}>
                    <span class={share > 0.5 ? 'strong' : share === 0 ? 'soft' : ''}>{percent(share)}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </FittingTable>
    </Card>
  );
}

/** The private models give some sources a share of a millionth. */
const LEAST_PERCENT = 0.01;

const percent = (share: number): string =>
  share > 0 && share * 100 < LEAST_PERCENT
    ? t('attribution_percent_least')
    : t('attribution_percent', { number: showDecimal(share * 100, 3) });
