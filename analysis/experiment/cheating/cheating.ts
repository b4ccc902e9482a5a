import { boolean, described, integer, type Codec } from '../../../formats/codec/codec';
import { constant, record, union, withDefault } from '../../../formats/codec/record';

/** What a dishonest publisher does with the people of a log; docs/cheating.md. */
export type Cheating =
  | { readonly kind: 'none' }
  /** It registers ads that nobody saw. */
  | { readonly kind: 'views'; readonly count: number }
  /** It registers clicks that nobody made. */
  | { readonly kind: 'clicks'; readonly count: number }
  /** Its own sites use up budgets that all sites share. */
  | { readonly kind: 'drain'; readonly publishers: number; readonly sites: number; readonly quota: boolean }
  /** Somebody writes reports that no browser made. */
  | { readonly kind: 'forgery'; readonly count: number };

type Of<Kind extends Cheating['kind']> = Extract<Cheating, { readonly kind: Kind }>;

/** Limits the time that a person takes. */
const MOST = 100;

const count = (description: string): ReturnType<typeof withDefault<number>> =>
  withDefault('count', described(integer(1, MOST), description), 5);

export const cheating: Codec<Cheating> = union<Cheating>({
  none: record<Of<'none'>>({ kind: constant('kind', 'none') }),
  views: record<Of<'views'>>({
    kind: constant('kind', 'views'),
    count: count('How many views the cheat registers for each person'),
  }),
  clicks: record<Of<'clicks'>>({
    kind: constant('kind', 'clicks'),
    count: count('How many clicks the cheat registers for each person'),
  }),
  drain: record<Of<'drain'>>({
    kind: constant('kind', 'drain'),
    publishers: withDefault(
      'publishers',
      described(integer(1, MOST), 'How many sites of the cheat show ads'),
      1,
    ),
    sites: withDefault(
      'sites',
      described(integer(1, MOST), 'How many sites of the cheat have a conversion each week'),
      10,
    ),
    quota: withDefault(
      'quota',
      described(boolean, 'Whether W3C Attribution has its quota for each impression site'),
      true,
    ),
  }),
  forgery: record<Of<'forgery'>>({
    kind: constant('kind', 'forgery'),
    count: count('How many conversions are forged for each one of the log'),
  }),
});
