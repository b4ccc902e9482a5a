import { budgetKey, type Spend } from '../../src/model/spend';
import type { RunResult } from './result';

/** Adds up what privacy units spend, by basic composition. */
export class SpentEpsilon {
  private units = 0;
  private sum = 0;
  private most = 0;

  /** @param spends all spends of one person, whose units belong to nobody else. */
  add(spends: readonly Spend[]): void {
    const ofUnits = new Map<string, number>();
    for (const spend of spends)
      ofUnits.set(
        budgetKey(spend),
        (ofUnits.get(budgetKey(spend)) ?? 0) + spend.epsilon * spend.sourceIds.length,
      );
    this.addUnits([...ofUnits.values()]);
  }

  /** @param epsilons what each of some units spent. */
  addUnits(epsilons: readonly number[]): void {
    for (const epsilon of epsilons) {
      this.units += 1;
      this.sum += epsilon;
      this.most = Math.max(this.most, epsilon);
    }
  }

  result(): RunResult['spent'] {
    return { units: this.units, mean: this.units === 0 ? 0 : this.sum / this.units, most: this.most };
  }
}
