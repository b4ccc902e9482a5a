import { first, type Relation, type Setup } from '../relation';
import { bought, shown, type Happening, type World } from '../world';

const around =
  (rest: World, impression = first) =>
  ({ label }: Setup) => ({
    worlds: [
      [impression, ...rest],
      [impression, bought(2, 'shop'), ...rest],
    ] as const,
    promise: label,
  });

/** The impression expires meanwhile, and is deleted when another one is registered. */
export const labelWhileOffline: Relation = {
  id: 'label-while-offline',
  differs: 'a conversion of one impression whose report is due while the device is offline',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: around(
    [{ kind: 'offline', at: 10 }, shown(30, 2, 'blog', 'mall'), { kind: 'online', at: 31 }],
    { ...first, fields: { expiry: 86_400 } },
  ),
};

export const labelWhenHurried: Relation = {
  id: 'label-when-hurried',
  differs: 'a conversion of one impression whose report is sent early, by hand',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: around([{ kind: 'hurry', at: 10 }]),
};

/** By a year, for two minutes, in which a report is tried twice. */
const ahead: readonly Happening[] = [
  { kind: 'offline', at: 3 },
  { kind: 'online', at: 8760 },
  { kind: 'offline', at: 8760.03 },
  { kind: 'online', at: 10 },
];

export const labelWithClockAhead: Relation = {
  id: 'label-with-clock-ahead',
  differs: 'a conversion of one impression whose report is due while the clock is ahead',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: around(ahead),
};
