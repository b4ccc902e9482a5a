import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { utilityPromises } from '../../../src/attribution/compare-models';
import type { AttributionModel, PrivateModel } from '../../../src/model/mechanisms';
import { triggers, type TriggerEntry } from '../data/tables/triggers';
import { candidatesOf, disagreement, modelsBeside, sharesFor } from '../explain/model-comparison';
import { routeTo, type Route } from '../lib/route';
import { useDataset, useSession } from '../lib/session';
import { useLoaded } from '../lib/use-stored';
import { showDuration, showNumber } from '../lib/words';
import { Card, Chip, Empty, Moment } from '../ui/basics';
import { CandidateAxis } from '../ui/candidate-axis';

/** As many conversions as models are compared on. */
const COMPARED = 300;
const SHOWN = 10;

/** Whom each model would credit, beside each other, on what this browser recorded. */
export function AttributionView({ route }: { readonly route: Route }): JSX.Element {
  const { settings, truth } = useSession();
  const entries = useConversions();
  const [, wanted] = route.path;
  const chosen = settings.attribution;
  const models = useMemo(() => modelsBeside(chosen), [chosen]);
  const shown = (entries ?? []).filter((entry) =>
    wanted === undefined ? candidatesOf(entry).length > 0 : entry.id === Number(wanted),
  );
  return (
    <>
      <h1>Attribution</h1>
      <Card title="The model in force">
        <p>
          <Chip tone="good">{chosen.kind}</Chip> <a href="options.html">Change it in the options</a>
        </p>
        <Utility model={models.find(isPrivate) ?? null} inForce={isPrivate(chosen)} />
      </Card>
      <Card title="How often models differ">
        <Differences models={models} entries={entries ?? []} />
      </Card>
      {shown.length === 0 ? (
        <Empty>
          No conversion found a source. Click or look at an ad, then complete what it leads to; the candidates
          appear here.
        </Empty>
      ) : (
        shown
          .slice(0, SHOWN)
          .map((entry) => <Conversion key={entry.id} entry={entry} models={models} truth={truth} />)
      )}
    </>
  );
}

const isPrivate = (model: AttributionModel): model is PrivateModel =>
  model.kind === 'exponential' || model.kind === 'permute-and-flip';

/** The latest conversions, the newest first. */
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
  const within = (clicks: number, probability: number): string => {
    const promise = promises.find((each) => each.clicks === clicks && each.probability === probability);
    return promise?.within == null ? 'no promise' : `within ${digits(promise.within)} ${model.unit}`;
  };
  return (
    <>
      <p id="utility">
        {inForce ? 'With these settings' : 'With the private models as below'} (ε = {model.epsilon},{' '}
        {model.score} score, τ = {model.tau} {model.unit}
        {model.gap === null ? '' : `, α = ${model.gap} ${model.unit}`}) the chosen click of two is{' '}
        {within(2, probabilities[1] ?? 0)} of the last one with probability {percent(probabilities[1] ?? 0)}{' '}
        at least.
      </p>
      <div class="scroll-x">
        <table class="plain-table" id="utility-table">
          <thead>
            <tr>
              <th scope="col">Candidate clicks</th>
              {probabilities.map((probability) => (
                <th scope="col" key={probability}>
                  with probability {percent(probability)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[2, 3, 5, 10].map((clicks) => (
              <tr key={clicks}>
                <th scope="row">{clicks}</th>
                {probabilities.map((probability) => (
                  <td key={probability}>{within(clicks, probability)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Against the last touch, and against the model in force, which are what people compare with. */
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
      <p class="soft">
        Of the last {showNumber(entries.length)} conversions, {showNumber(several)} had more than one
        candidate. How often each model credits another source than the last touch:
      </p>
      <div class="bars" id="differences">
        {models.map((model) => {
          const share = disagreement(model, last, entries);
          return (
            <div class="bar-row" key={model.kind}>
              <span>{model.kind}</span>
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

/** The candidates of a conversion on a line, and what each model makes of them. */
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
        <a href={routeTo(['triggers', entry.id])}>Conversion {entry.id}</a>{' '}
        <span class="soft small">
          <Moment time={entry.time} now={overview.now} />
        </span>
      </h2>
      <CandidateAxis entry={entry} candidates={candidates} />
      <div class="scroll-x">
        <table class="plain-table models" data-conversion={entry.id}>
          <thead>
            <tr>
              <th scope="col">Model</th>
              {candidates.map(({ id, time, verdict }) => (
                <th scope="col" key={id}>
                  <a href={routeTo(['sources', id])}>source {id}</a>
                  <br />
                  {showDuration(Math.max(0, entry.time - time))} before
                  {truth && verdict === 'chosen' && (
                    <>
                      {' '}
                      <Chip tone="good">credited</Chip>
                    </>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <tr key={model.kind}>
                <th scope="row">{model.kind}</th>
                {sharesFor(model, entry).map((share, index) => (
                  <td key={candidates[index]?.id}>
                    <span class={share > 0.5 ? 'strong' : share === 0 ? 'soft' : ''}>{percent(share)}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

const digits = (value: number): string => String(Number(value.toPrecision(3)));
const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`;
