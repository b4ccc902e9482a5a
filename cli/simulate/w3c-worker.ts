import { OutcomeCounter } from '../../analysis/simulation/outcome-counter';
import { Batches } from '../../analysis/w3c/aggregate';
import { parseProfile, type Profile } from '../../analysis/w3c/profile';
import type { Json } from '../../src/model/json';
import { simulateApiUser } from '../../analysis/w3c/user';
import { memberOf } from './sharding';
import { eventsOf, randomOfUser, withPlace, type PlacedEvent } from './events';
import { answerFor } from './read';
import type { UserLines } from './lines';
import { simulateW3cWorker } from './workers';

/** A thread that runs one part of a log after another through W3C Attribution. */

const { settings, seed, shard } = simulateW3cWorker.setup();
const profile = profileOf(settings);
const randomOf = randomOfUser(seed, 'w3c');
const isInShard = memberOf(shard);

function profileOf(json: Json): Profile {
  const { value } = parseProfile(json);
  if (value === null) throw new Error('the settings must have been checked');
  return value;
}

function simulate(user: UserLines<PlacedEvent>, batches: Batches, tally: OutcomeCounter): void {
  const events = eventsOf(user, tally);
  try {
    const found = simulateApiUser(events, profile, randomOf(user.user));
    for (const report of found.reports) batches.addReport(report);
    tally.addAll(found.tally);
  } catch (error) {
    throw withPlace(error, user);
  }
}

export default simulateW3cWorker.answer((task) =>
  answerFor(task, isInShard, async ({ users, read }) => {
    const batches = new Batches(profile);
    const tally = new OutcomeCounter();
    for await (const user of users) simulate(user, batches, tally);
    return { kind: 'done', read: read(), batches: batches.list(), tally: tally.entries() } as const;
  }),
);
