import { first, type Relation } from '../relation';
import { shown, type Happening } from '../world';
import { ofLabel, withConversion } from './probes';

/** By a year, for two minutes, in which a report is tried twice. */
const ahead: readonly Happening[] = [
  { kind: 'offline', at: 3 },
  { kind: 'online', at: 8760 },
  { kind: 'offline', at: 8760.03 },
  { kind: 'online', at: 10 },
];

export const deviceTroubles: readonly Relation[] = [
  /** The impression expires meanwhile, and is deleted when another one is registered. */
  {
    id: 'label-while-offline',
    differs: 'a conversion of one impression whose report is due while the device is offline',
    onRequest: true,
    neighbours: withConversion(
      [{ ...first, fields: { expiry: 86_400 } }],
      [{ kind: 'offline', at: 10 }, shown(30, 2, 'blog', 'mall'), { kind: 'online', at: 31 }],
      ofLabel,
    ),
  },
  {
    id: 'label-when-hurried',
    differs: 'a conversion of one impression whose report is sent early, by hand',
    onRequest: true,
    neighbours: withConversion([first], [{ kind: 'hurry', at: 10 }], ofLabel),
  },
  {
    id: 'label-with-clock-ahead',
    differs: 'a conversion of one impression whose report is due while the clock is ahead',
    onRequest: true,
    neighbours: withConversion([first], ahead, ofLabel),
  },
];
