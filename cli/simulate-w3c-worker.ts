import { Tally } from '../analysis/simulation/tally';
import { Batches } from '../analysis/w3c/aggregate';
import { parseProfile, type Profile } from '../analysis/w3c/profile';
import type { Json } from '../src/model/json';
import { simulateApiUser } from '../analysis/w3c/user';
import { LineError, parseLines, randomOfUser, withPlace } from './simulate-events';
import type { UserLines } from './simulate-users';
import { simulateW3cWorker } from './workers';

/** A thread that runs one batch of users after another through W3C Attribution. */

const { settings, seed } = simulateW3cWorker.setup();
const profile = profileOf(settings);
const randomOf = randomOfUser(seed);

function profileOf(json: Json): Profile {
  const { value } = parseProfile(json);
  if (value === null) throw new Error('the settings must have been checked');
  return value;
}

function simulate(user: UserLines, batches: Batches, tally: Tally): void {
  const events = parseLines(user, tally);
  try {
    const found = simulateApiUser(events, profile, randomOf(user.user)(0));
    for (const report of found.reports) batches.addReport(report);
    tally.addAll(found.tally);
  } catch (error) {
    throw withPlace(error, user);
  }
}

export default simulateW3cWorker.answer((users) => {
  const batches = new Batches(profile);
  const tally = new Tally();
  try {
    for (const user of users) simulate(user, batches, tally);
    return { kind: 'done', batches: batches.list(), tally: tally.entries() };
  } catch (error) {
    if (error instanceof LineError) return { kind: 'bad-line', message: error.message };
    throw error;
  }
});
