import {
  Engine,
  sendingOrder,
  type Conditions,
  type Environment,
  type RegistrationEntry,
} from '../../src/engine';
import type { Registration } from '../../src/model/incoming-registration';
import type { DeliveryOutcome, InternalId, Report } from '../../src/model/records';
import type { DeliveryProfile } from '../../src/reports/next-step';
import type { Moment } from '../../src/model/units';
import type { Operation, RandomStreams } from '../../src/work';
import type { MemoryStore } from './memory-store';

interface MemoryEnvironment extends Environment {
  readonly store: MemoryStore;
  readonly random: RandomStreams;
}

/** The engine with a store in memory, so without promises: what a replay needs of it. */
export class MemoryEngine {
  private readonly engine: Engine;

  constructor(private readonly environment: MemoryEnvironment) {
    this.engine = new Engine(environment);
  }

  /** See `Engine.registration`. */
  register(registration: Registration, conditions: Conditions): RegistrationEntry {
    const operation = this.engine.registration(registration, conditions);
    const entry = this.run(operation);
    operation.completed();
    return entry;
  }

  /** The reports to send by `now`, in random order. Draws due outputs first. */
  due(now: Moment): readonly Report[] {
    const { store, random } = this.environment;
    for (const { id } of store.upTo('undrawn', 'closesAt', now)) this.run(this.engine.window(id, now));
    return sendingOrder(store.upTo('reports', 'nextAttempt', now), random);
  }

  /** When the next report is to be tried or the next output drawn; null if never. */
  nextDue(): Moment | null {
    const { store } = this.environment;
    const sending = store.first('reports', 'nextAttempt')?.nextAttempt ?? null;
    const drawing = store.first('undrawn', 'closesAt')?.closesAt ?? null;
    return drawing === null || (sending !== null && sending < drawing) ? sending : drawing;
  }

  /** See `Engine.attempt`. */
  recordAttempt(id: InternalId, outcome: DeliveryOutcome, profile: DeliveryProfile, now: Moment): void {
    this.run(this.engine.attempt(id, outcome, profile, now));
  }

  private run<T>({ decide }: Operation<T>): T {
    const { store, random } = this.environment;
    return store.decide((draft) => decide(draft, random));
  }
}
