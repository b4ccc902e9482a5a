import { hash } from 'node:crypto';
import { InputError, integerOption } from '../io/input';

/** One of `count` parts of a log. All events of a user are in one part. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

export const wholeLog: Shard = { index: 0, count: 1 };

const HEX_DIGITS = 8;
const MOST_SHARDS = 1_000_000;

/**
 * The shard of a user among `count`: the first 32 bits of the SHA-256 of the name in UTF-8, as an unsigned big-endian number, modulo `count`.
 * docs/cluster.md has the same in SQL and Python.
 */
export const shardOf = (user: string, count: number): number =>
  parseInt(hash('sha256', user).slice(0, HEX_DIGITS), 16) % count;

/** Whether users are in a shard. The lines of a user are mostly together, so the last answer is kept. */
export function memberOf({ index, count }: Shard): (user: string) => boolean {
  if (count === 1) return () => true;
  let last: string | null = null;
  let isMember = false;
  return (user) => {
    if (user === last) return isMember;
    last = user;
    isMember = shardOf(user, count) === index;
    return isMember;
  };
}

/** @throws InputError unless the text is i/n with i from 0 to n − 1. */
export function shardOption(command: string, text: string): Shard {
  const [, index, count] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (shard.index < shard.count && shard.count <= MOST_SHARDS) return shard;
  throw new InputError(
    `${command}: --shard: must be i/n, with n up to ${MOST_SHARDS} and i from 0 to n − 1, was "${text}"`,
  );
}

export const shardCountOption = (text: string): number =>
  integerOption('shard', 'of', text, 1n, BigInt(MOST_SHARDS));
