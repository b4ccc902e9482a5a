import type { Budget, Changes, Impression, View } from './documents';
import { firstState, type ApiState } from './documents';

/** The documents in memory. */
export class MemoryDocuments implements View {
  state: ApiState = firstState;
  private readonly saved = new Map<number, Impression>();
  private readonly spent = new Map<string, Budget>();

  /** @param impressions @param budgets what there is */
  constructor(
    state: ApiState = firstState,
    impressions: readonly Impression[] = [],
    budgets: readonly Budget[] = [],
  ) {
    this.state = state;
    for (const one of impressions) this.saved.set(one.id, one);
    for (const one of budgets) this.spent.set(one.id, one);
  }

  get impressions(): readonly Impression[] {
    return [...this.saved.values()];
  }

  get budgets(): readonly Budget[] {
    return [...this.spent.values()];
  }

  budget(id: string): Budget | undefined {
    return this.spent.get(id);
  }

  apply({ state, impressions, budgets }: Changes): void {
    this.state = state;
    put(this.saved, impressions);
    put(this.spent, budgets);
  }
}

function put<Id, Document>(documents: Map<Id, Document>, changes: ReadonlyMap<Id, Document | null>): void {
  for (const [id, document] of changes)
    if (document === null) documents.delete(id);
    else documents.set(id, document);
}
