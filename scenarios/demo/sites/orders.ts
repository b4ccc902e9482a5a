import { randomInt } from 'node:crypto';
import type { Product } from './products';

export interface Order {
  readonly number: string;
  /** Differs from the order number, because it is the rule's deduplication key. */
  readonly receipt: string;
  readonly product: Product;
  readonly quantity: number;
}

export interface OrderBook {
  add(product: Product, quantity: number): Order;
  byNumber(number: string | null): Order | null;
}

const MAX_ORDERS = 1000;

/** In cents. */
export const total = ({ product, quantity }: Order): number => product.price * quantity;

/** Keeps orders in memory, and drops the oldest. */
export function openOrderBook(): OrderBook {
  const orders = new Map<string, Order>();
  return {
    add: (product, quantity) => {
      const order: Order = { number: newNumber(), receipt: newNumber(), product, quantity };
      orders.set(order.number, order);
      const [oldest] = orders.keys();
      if (orders.size > MAX_ORDERS && oldest !== undefined) orders.delete(oldest);
      return order;
    },
    byNumber: (number) => (number === null ? null : (orders.get(number) ?? null)),
  };
}

// Random, to avoid the numbers of an earlier run whose sources the browser still keeps.
const newNumber = (): string => String(randomInt(10_000_000, 100_000_000));
