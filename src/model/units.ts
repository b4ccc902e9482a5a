/** A name that keeps numbers and strings of different kinds apart; only the functions below make one. */
declare const brand: unique symbol;
/** A number or a string of one kind. */
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Milliseconds since the Unix epoch, on the engine's clock. */
export type Moment = Brand<number, 'Moment'>;
/** In milliseconds. */
export type Duration = Brand<number, 'Duration'>;
/** A serialized origin suitable for attribution: `https://ad.example`, `http://shop.localhost:8080`. */
export type Origin = Brand<string, 'Origin'>;
/** A serialized site, that is, scheme and registrable domain: `https://shop.example`. */
export type Site = Brand<string, 'Site'>;
/** A privacy loss. At 0 an output tells nothing. */
export type Epsilon = Brand<number, 'Epsilon'>;
/** From 0 to 1. */
export type Probability = Brand<number, 'Probability'>;

/** @throws RangeError unless `milliseconds` is a whole number that a Date can hold. */
export function moment(milliseconds: number): Moment {
  if (!Number.isInteger(milliseconds) || Math.abs(milliseconds) > 8.64e15) {
    throw new RangeError(`a moment must be whole milliseconds within ±8.64e15, was ${milliseconds}`);
  }
  return milliseconds as Moment;
}

/** @throws RangeError unless `count` is a non-negative whole number. */
export function milliseconds(count: number): Duration {
  if (!Number.isInteger(count) || count < 0) {
    throw new RangeError(`a duration must be non-negative whole milliseconds, was ${count}`);
  }
  return count as Duration;
}

/** @throws RangeError unless it is a non-negative whole number of milliseconds. */
export const seconds = (count: number): Duration => milliseconds(count * 1000);
/** @throws RangeError unless it is a non-negative whole number of milliseconds. */
export const minutes = (count: number): Duration => seconds(count * 60);
/** @throws RangeError unless it is a non-negative whole number of milliseconds. */
export const hours = (count: number): Duration => minutes(count * 60);
/** Days of 24 hours, as in the specification, even when clocks change for summer. @throws RangeError as `hours`. */
export const days = (count: number): Duration => minutes(count * 24 * 60);

/** The moment so much later. @throws RangeError if no Date can hold it. */
export const after = (start: Moment, duration: Duration): Moment => moment(start + duration);

/** The time from `start` to `end`; zero if the clock was set back in between. */
export const between = (start: Moment, end: Moment): Duration => milliseconds(Math.max(0, end - start));

/** @throws RangeError unless `value` is finite and at least 0. */
export function epsilon(value: number): Epsilon {
  if (!(value >= 0 && value < Infinity))
    throw new RangeError(`an epsilon must be a finite number of at least 0, was ${value}`);
  return value as Epsilon;
}

/** @throws RangeError unless `value` is from 0 to 1. */
export function probability(value: number): Probability {
  if (!(value >= 0 && value <= 1)) throw new RangeError(`a probability must be from 0 to 1, was ${value}`);
  return value as Probability;
}
