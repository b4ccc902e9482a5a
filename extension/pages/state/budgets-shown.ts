import { moment } from '../../../src/model/units';
import { continued, newHistory, type BudgetHistoryToDate } from '../../consent/budget-history';
import type { Participation } from './use-participation';

interface Shown extends Pick<Participation, 'agreed' | 'asked'> {
  readonly view: Pick<Participation['view'], 'budgets' | 'acceptingErases'>;
  readonly overview: Pick<Participation['overview'], 'now' | 'jointLoss'>;
}

/** The budgets of the participation as they are, or as they will be once the person has accepted what they are asked. */
export function budgetsShown(
  { view: { budgets, acceptingErases }, agreed, asked, overview }: Shown,
  isAsked: boolean,
): BudgetHistoryToDate {
  const now = moment(overview.now);
  const soFar = overview.jointLoss?.soFar ?? 0;
  if (budgets === null || (isAsked && (acceptingErases || agreed === null || asked.trial === null)))
    return { ...newHistory(now), soFar: 0 };
  if (!isAsked || agreed === null || asked.trial === null) return { ...budgets, soFar };
  return { ...continued(budgets, agreed.trial, asked.trial, now, soFar), soFar };
}
