import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { cheated } from '../../analysis/experiment/cheating/cheated';
import type { Cheating as Plan } from '../../analysis/experiment/cheating/cheating';
import {
  paidBy,
  payable,
  payingApis,
  type Paid,
  type PayingApi,
} from '../../analysis/experiment/cheating/paid';
import { seededRandomSource, seededRandomStreams } from '../../analysis/random/sources';
import type { ScenarioEvent } from '../../analysis/scenario/scenario';
import { demoUser } from '../../analysis/simulation/demo-month';
import { parseLogLine } from '../../analysis/simulation/log-line';
import { Checkbox } from '../../ui/checkbox';
import { LabelledSelect } from '../../ui/select';
import { TableHead } from '../../ui/table-head';
import { t } from '../i18n';
import { Card } from '../pages/ui/basics';
import { showDecimal, showNumber } from '../pages/words/words';
import { Slider } from './slider';

const PEOPLE = 100;
/** In ms: how long the page may stand still, and waits for another choice. */
const [SLICE, PAUSE] = [20, 200];

const kinds = ['views', 'clicks', 'drain', 'forgery'] as const;
type Kind = (typeof kinds)[number];

/** How much of it is chosen first, and at most. */
const amounts: Readonly<Record<Kind, readonly [number, number]>> = {
  views: [5, 20],
  clicks: [1, 20],
  drain: [16, 20],
  forgery: [1, 5],
};

/** What the defence leaves a cheat. */
function planOf(kind: Kind, amount: number, isDefended: boolean): Plan {
  switch (kind) {
    case 'views':
      return { kind, count: amount };
    case 'clicks':
      return { kind: isDefended ? 'views' : kind, count: amount };
    case 'drain':
      return { kind, publishers: 1, sites: amount, quota: isDefended };
    case 'forgery':
      return isDefended ? { kind: 'none' } : { kind, count: amount };
  }
}

/** What a dishonest publisher gains under each API. */
export function Cheating(): JSX.Element {
  const [kind, setKind] = useState<Kind>('views');
  const [amount, setAmount] = useState(amounts.views[0]);
  const [isDefended, setDefended] = useState(false);
  const paid = usePaid(planOf(kind, amount, isDefended));
  return (
    <>
      <h1>{t('cheating')}</h1>
      <Card>
        <p>{t('cheating_what', { people: PEOPLE })}</p>
        <LabelledSelect
          id="cheating-kind"
          label={t('cheating_choice')}
          of={kinds.map((one) => [one, t('cheating_is', { kind: one })])}
          value={kind}
          onChoose={(chosen) => {
            setKind(chosen);
            setAmount(amounts[chosen][0]);
          }}
        />
        <p>{t('cheating_does', { kind })}</p>
        <Slider
          id="cheating-amount"
          label={t('cheating_amount', { kind })}
          min={1}
          max={amounts[kind][1]}
          step={1}
          value={amount}
          onChange={setAmount}
        />
        {kind !== 'views' && (
          <Checkbox id="cheating-defended" checked={isDefended} onChange={setDefended}>
            {t('cheating_defence', { kind })}
          </Checkbox>
        )}
      </Card>
      <Card title={t('cheating_paid')}>
        <Payments paid={paid} />
        <p>{t('cheating_lesson', { kind })}</p>
      </Card>
    </>
  );
}

function Payments({ paid }: { readonly paid: PaidBy }): JSX.Element {
  const { truth } = paid;
  const shown = (conversions: number): string =>
    t('cheating_share', {
      conversions: showNumber(Math.round(conversions)),
      percent: showDecimal(Math.round((1000 * conversions) / Math.max(truth?.honest ?? 0, 1)) / 10),
    });
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={t('cheating_paid')}>
      <table class="attack" id="cheating-paid">
        <TableHead of={[t('cheating_api'), t('cheating_to_honest'), t('cheating_to_cheat')]} />
        <tbody>
          <tr>
            <th scope="row">{t('cheating_truth')}</th>
            <td>{truth === undefined ? '…' : shown(truth.honest)}</td>
            <td>{truth === undefined ? '…' : shown(0)}</td>
          </tr>
          {payingApis.map((api) => {
            const of = truth === undefined ? undefined : paid[api];
            return (
              <tr key={api}>
                <th scope="row">{t('cheating_api_is', { api: apiWords[api] })}</th>
                <td>{of === undefined ? '…' : shown(of.honest)}</td>
                <td>{of === undefined ? '…' : shown(of.cheat)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Names that messages can select. */
const apiWords: Readonly<Record<PayingApi, string>> = {
  'event-level': 'event',
  summary: 'summary',
  w3c: 'w3c',
};

type PaidBy = Readonly<Partial<Record<PayingApi | 'truth', Paid>>>;

/** Works it out for one API after the other, and lets the page draw in between. */
function usePaid(plan: Plan): PaidBy {
  const about = JSON.stringify(plan);
  const [state, setState] = useState<{ readonly about: string; readonly paid: PaidBy }>({ about, paid: {} });
  useEffect(() => {
    let isOver = false;
    const work = async (): Promise<void> => {
      const people = madeUp().map((events, number) =>
        cheated(events, plan, seededRandomSource('cheat', number)),
      );
      const hasQuota = plan.kind !== 'drain' || plan.quota;
      let paid: PaidBy = {};
      for (const api of [null, ...payingApis]) {
        const steps = paidBy(api, people, hasQuota, (person) => seededRandomStreams(`person ${person}`));
        let until = performance.now() + SLICE;
        let step = await steps.next();
        while (step.done !== true) {
          if (performance.now() > until) {
            await new Promise((resolve) => setTimeout(resolve));
            until = performance.now() + SLICE;
          }
          if (isOver) return;
          step = await steps.next();
        }
        paid = { ...paid, [api ?? 'truth']: step.value };
        setState({ about, paid });
      }
    };
    const timer = setTimeout(() => void work(), PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [about]);
  return state.about === about ? state.paid : {};
}

/** People of the demo's month. */
const madeUp = (): readonly (readonly ScenarioEvent[])[] =>
  Array.from({ length: PEOPLE }, (_, number) =>
    demoUser('a month of tosses', number).lines.flatMap((line) => {
      const event = parseLogLine(line).value?.event;
      return event === undefined ? [] : [payable(event)];
    }),
  );
