import type { Moment } from '../../../src/model/units';
import { coversRow, type ErasingScope } from '../../erasing/erase-part';
import type { Asked } from './asked';

/** The most erasures of a part that are told apart. */
const MOST = 100;

interface Part {
  /** Which erasure it was. */
  readonly number: number;
  readonly scope: ErasingScope;
}

/**
 * The erasures since the background started. What was asked for before an erasure leaves no trace after it, whatever it waited for meanwhile: a
 * document, a server, its turn. So whoever takes something keeps its `Asked` with it, and whoever records it looks here. Rows of the
 * inbox are deleted instead, and outlive the background.
 */
export class Erasures {
  private count = 0;
  /** What was asked for before this many erasures is erased, whatever it is. */
  private all = 0;
  /** The later erasures, each of a part. */
  private parts: readonly Part[] = [];

  /** @param time when it is asked for, on the engine's clock */
  asked(time: Moment): Asked {
    return { erasures: this.count, time };
  }

  /** @param scope null: everything */
  add(scope: ErasingScope | null): void {
    this.count += 1;
    if (scope !== null) this.parts = [...this.parts, { number: this.count, scope }];
    const [oldest] = this.parts;
    // Too many to tell apart: the oldest takes everything along.
    const all = scope === null ? this.count : this.parts.length > MOST ? oldest?.number : undefined;
    if (all === undefined) return;
    this.all = all;
    this.parts = this.parts.filter(({ number }) => number > all);
  }

  /** @param what anything that names its sites somewhere in its texts */
  cover({ erasures, time }: Asked, what: object): boolean {
    return (
      erasures < this.all ||
      this.parts.some(({ number, scope }) => number > erasures && coversRow(scope, what, time))
    );
  }
}
