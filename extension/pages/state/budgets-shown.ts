import { moment } from '../../../src/model/units';
import { continued, newHistory, type BudgetHistory } from '../../consent/budget-history';
import type { Participation } from './use-participation';

interface Shown extends Pick<Participation, 'agreed' | 'asked'> {
  readonly view: Pick<Participation['view'], 'budgets' | 'acceptingErases'>;
  readonly overview: Pick<Participation['overview'], 'now'>;
}

/** The budgets of the participation as they are, or as they will be once the person has accepted what they are asked. */
export function budgetsShown(
  { view: { budgets, acceptingErases }, agreed, asked, overview }: Shown,
  isAsked: boolean,
): BudgetHistory {
  const now = moment(overview.now);
  if (budgets === null) return newHistory(now);
  if (!isAsked) return budgets;
  if (acceptingErases || agreed === null || asked.trial === null) return newHistory(now);
  return continued(budgets, agreed.trial, asked.trial, now);
}
