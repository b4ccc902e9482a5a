import browser from 'webextension-polyfill';
import type { Clock } from '../state/clock';
import type { Participation } from '../state/participation';

const ALARM = 'trial';

/** Wakes the background when a trial begins and ends, so that pages are watched only while it records. */
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
    // A stopped clock never reaches that time. Moving the clock schedules again.
    if (nextChange === null || this.clock.frozen) void browser.alarms.clear(ALARM);
    else void browser.alarms.create(ALARM, { when: nextChange - this.clock.ahead });
  }
}
