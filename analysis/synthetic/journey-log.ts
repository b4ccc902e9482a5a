import type { Json } from '../../src/model/json';
import type { Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { isJsonObject } from '../../src/model/json';
import { eventLine } from '../simulation/event-line';
import type { JourneyKinds } from './journey-kinds';
import { drawnJourney, JOURNEY_PAIR, journeySizes, possible, type DrawnJourney } from './journeys';
import { measureMarginals, peopleByRows, rowsOf, type Row } from './private-marginals';
import { TreeModel } from './tree-model';

/** What costs ε: a person's rows that count, at most `mostJourneys`. */
interface Release {
  readonly mostJourneys: number;
  readonly epsilon: Exact;
}

/**
 * The log of synthetic people, one after another, each in order of time. After the marginals, nothing depends on the true rows.
 * @param people rows of `JourneyReader`, at least one and at most `mostJourneys` of each
 * @param random of the noise, and of what is drawn
 * @throws ParameterError unless ε is greater than 0.
 */
export function* syntheticLog(
  people: readonly (readonly Row[])[],
  kinds: JourneyKinds,
  { mostJourneys, epsilon }: Release,
  random: RandomSource,
): Generator<readonly Json[], void, undefined> {
  const sizes = journeySizes(kinds.kinds.length, kinds.days);
  const measured = measureMarginals(
    people,
    { sizes, kept: JOURNEY_PAIR, mostRows: mostJourneys, epsilon },
    random,
  );
  const byRows = peopleByRows(measured);
  const rows = new TreeModel(measured, sizes, rowsOf(byRows)).rows(random, possible);
  const uniform = (from: number, to: number): number =>
    from + Number(uniformBelow(random, BigInt(to - from)));
  let [used, number] = [0, 0];
  for (const [index, count] of byRows.entries())
    for (let person = 0; person < count; person++) {
      const own = rows.slice(used, used + index + 1);
      used += own.length;
      const user = `synthetic-${String(number).padStart(9, '0')}`;
      number += 1;
      const journeys = own.map((row) => drawnJourney(row, kinds, uniform));
      yield journeys
        .flatMap((journey) => eventsOf(user, journey, kinds, random))
        .sort((a, b) => a.time - b.time)
        .map(({ line }) => line);
    }
}

interface Event {
  readonly time: number;
  readonly line: Json;
}

function eventsOf(
  user: string,
  { kind, impressions, conversions }: DrawnJourney,
  { kinds }: JourneyKinds,
  random: RandomSource,
): readonly Event[] {
  const found = kinds[kind];
  if (found === undefined) return [];
  const { contexts, type, url, header, conversion } = found;
  const sources = impressions.map((time): Event => {
    const context = contexts[Number(uniformBelow(random, BigInt(contexts.length)))] ?? '';
    const own = { source_event_id: String(random.uint64()), ...(isJsonObject(header) ? header : {}) };
    const line = eventLine(user, time, {
      ...{ context, url, eligible: `${type}-source`, header: { [REGISTER_SOURCE]: own } },
    });
    return { time, line };
  });
  if (conversion === null) return sources;
  const triggers = conversions.map((time): Event => {
    const { context, header: trigger } = conversion;
    const line = eventLine(user, time, {
      ...{ context, url: conversion.url, eligible: 'trigger', header: { [REGISTER_TRIGGER]: trigger } },
    });
    return { time, line };
  });
  return [...sources, ...triggers];
}
