import type { Json } from '../../src/model/json';
import { integer, list, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';
import { isoText, isoTime } from '../codec/time';
import { tokenKey } from '../tokens/token-key';
import { moment, type Moment } from '../../src/model/units';
import type { TokenPeriod, TrialTokens } from './trial';

const MAX_BATCH = 500;
const MAX_PERIODS = 120;

interface Start {
  readonly from: Moment;
  readonly key: string;
}

/** As written: when each period begins, and when the last one ends. */
export const trialTokens: Parser<TrialTokens> = (place) => {
  const fields = new Fields(place);
  const batch = fields.required('batch', integer(1, MAX_BATCH), 1);
  const starts = fields.required('periods', list(start, { min: 1, max: MAX_PERIODS }), []);
  const until = fields.required('until', isoTime, moment(0));
  fields.refuseUnknown();
  const periods = starts.map(({ from, key }, index): TokenPeriod => {
    const next = starts[index + 1]?.from ?? until;
    if (next <= from) endPlace(index).error('periods-not-in-order');
    return { from, until: next, key };
  });
  return { batch, periods };

  function endPlace(index: number) {
    const isLast = index + 1 === starts.length;
    return isLast ? place.at('until', null) : place.at('periods', null).item(index + 1, null);
  }
};

const start: Parser<Start> = (place) => {
  const fields = new Fields(place);
  const parsed = {
    from: fields.required('from', isoTime, moment(0)),
    key: fields.required('key', tokenKey, ''),
  };
  fields.refuseUnknown();
  return parsed;
};

export const writeTokens = ({ batch, periods }: TrialTokens): Json => ({
  batch,
  periods: periods.map(({ from, key }) => ({ from: isoText(from), key })),
  until: isoText(periods.at(-1)?.until ?? moment(0)),
});

/** The period in which a moment is; null outside all of them. */
export const periodAt = ({ periods }: TrialTokens, now: Moment): TokenPeriod | null =>
  periods.find(({ from, until }) => from <= now && now < until) ?? null;
