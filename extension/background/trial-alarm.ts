import browser from 'webextension-polyfill';
import type { Clock } from './clock';
import type { Participation } from './participation';

const ALARM = 'trial';

/** Wakes the background when a trial begins and ends, so that nothing is watched for longer than it is recorded. */
export class TrialAlarm {
  constructor(
    private readonly participation: Participation,
    private readonly clock: Clock,
  ) {}

  static isAlarm(name: string): boolean {
    return name === ALARM;
  }

  set(): void {
    const { nextChange } = this.participation;
    // A clock that stands still never gets there; whoever moves it says so.
    if (nextChange === null || this.clock.frozen) void browser.alarms.clear(ALARM);
    else void browser.alarms.create(ALARM, { when: nextChange - this.clock.ahead });
  }
}
