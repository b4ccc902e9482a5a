import { normalizeIP } from '@fastify/rate-limit';
import { Refusal } from '../http/refusal';

export interface QuotaLimits {
  /** The most bytes that one client may store in a day. */
  readonly client: number;
  /** The most bytes that the store may take up on its disk. */
  readonly store: number;
}

const DAY_MILLISECONDS = 24 * 3_600_000;
/** Bounds the memory. Clients with more addresses reach the limit of the store. */
const MAX_CLIENTS = 100_000;
const MEBIBYTE = 2 ** 20;

/** Limits what strangers can store: each client by day, and all together. */
export class Quota {
  /** By client, today. */
  readonly #stored = new Map<string, number>();
  #day = 0;

  /**
   * @param storeSize the store's bytes.
   * @param now milliseconds of a clock.
   */
  constructor(
    private readonly limits: QuotaLimits,
    private readonly storeSize: () => number,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws Refusal when the client or all clients together have reached their limit. */
  check(address: string): void {
    this.startDay();
    if ((this.#stored.get(normalizeIP(address)) ?? 0) >= this.limits.client)
      throw new Refusal(
        'client-budget',
        `one client may store at most ${this.limits.client / MEBIBYTE} MiB in a day (--client-budget)`,
      );
    if (this.storeSize() >= this.limits.store)
      throw new Refusal(
        'store-full',
        'the store has reached its limit; its operator can raise it with --store-limit',
      );
  }

  /** Counts what a client has stored; less than 0 takes it back. */
  add(address: string, bytes: number): void {
    const client = normalizeIP(address);
    if (this.#stored.size >= MAX_CLIENTS) {
      const [oldest = ''] = this.#stored.keys();
      this.#stored.delete(oldest);
    }
    this.#stored.set(client, Math.max(0, (this.#stored.get(client) ?? 0) + bytes));
  }

  /** Seconds until budgets start again. */
  get secondsLeft(): number {
    return Math.ceil((DAY_MILLISECONDS - (this.now() % DAY_MILLISECONDS)) / 1000);
  }

  private startDay(): void {
    const day = Math.floor(this.now() / DAY_MILLISECONDS);
    if (day !== this.#day) this.#stored.clear();
    this.#day = day;
  }
}
