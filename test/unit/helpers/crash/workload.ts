import type { JsonObject } from '../../../../src/model/json';
import { defaultMeasurement } from '../../../../src/model/mechanisms';
import type { RegistrationHeaders } from '../../../../recording/requests';
import { moment, type Origin } from '../../../../src/model/units';
import { type RandomSource } from '../../../../src/privacy/random-source';
import { START } from '../engine';
import { Choices, sourceHeader, triggerHeader } from './choices';
import type { ErasingScope } from '../../../../extension/erasing/erase-part';
import type { RecorderParts } from '../../../../extension/background/record/recorder';
import { knownAtOnce, startBackground, type Background } from './background';
import { Disk, LifeStore } from './disk';
import { Ledger } from './ledger';
import { connect, Network } from './network';
import { seededRandomSource } from '../../../../analysis/random/sources';
import { jointly, unlimited } from '../budgets';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** After so many deaths a new disk begins, so that there are few rows and each check is quick. */
const DEATHS_PER_DISK = 50;
/** Operations of the store from one death to the next: from 1 to so many, evenly. */
const LONGEST_LIFE = 150;

/** Each disk gets one of these. */
const settingsToTry: readonly JsonObject[] = [
  unlimited,
  {
    labelNoise: { kind: 'rr-with-prior', prior: [0.8, 0.2] },
    budget: { unit: 'user-publisher', epsilon: 60, cap: 12, joint: jointly(400, 200) },
  },
  {
    attribution: { kind: 'exponential', epsilon: 1, score: 'linear', unit: 'hours', tau: 1 },
    budget: {
      unit: 'user-advertiser',
      epsilon: 60,
      attributionEpsilon: 20,
      cap: 12,
      joint: jointly(60),
    },
  },
];

const trial = {
  id: 'a-trial',
  version: 1,
  title: 'A trial',
  researcher: { name: 'Somebody', contact: 'somebodyuni.example' },
  information: { en: 'What it is about.' },
  end: '2099-01-01T00:00:00Z',
};

/** What was found over many deaths: each line is something that must never happen. */
export interface Found {
  readonly deaths: number;
  readonly registered: number;
  readonly taken: number;
  readonly wrong: readonly string[];
}

/** Lets a background work, kills it between two operations of its store, starts the next one and looks at the disk, many times. */
export async function dieOften(
  seed: string,
  deaths: number,
  LifeClass: typeof LifeStore = LifeStore,
): Promise<Found> {
  const found = { deaths: 0, registered: 0, taken: 0, wrong: [] as string[] };
  for (let disk = 0; found.deaths < deaths && found.wrong.length === 0; disk++) {
    const workload = new Workload(`${seed} ${disk}`, disk, LifeClass);
    const { registered, taken, wrong } = await workload.run(Math.min(DEATHS_PER_DISK, deaths - found.deaths));
    found.deaths += Math.min(DEATHS_PER_DISK, deaths - found.deaths);
    found.registered += registered;
    found.taken += taken;
    found.wrong.push(...wrong.map((what) => `seed "${seed} ${disk}": ${what}`));
  }
  return found;
}

class Workload {
  private readonly choices: Choices;
  /** The browser tells of half of the documents only after the responses to what they ask for. */
  private readonly documents: RecorderParts['documents'] = {
    ...knownAtOnce,
    placeNow: (asker, otherwise) =>
      this.choices.below(2) === 0 ? knownAtOnce.placeNow(asker, otherwise) : null,
    placeOf: async (asker, otherwise) => {
      for (let wait = this.choices.below(20); wait > 0; wait--) await Promise.resolve();
      return knownAtOnce.placeOf(asker, otherwise);
    },
  };
  private readonly noise: RandomSource;
  private readonly disk = new Disk();
  private readonly settings: JsonObject;
  private readonly network: Network;
  private readonly ledger: Ledger;
  private isCalm = false;
  private seen = 0;
  private time = START;
  /** Erasing a span of time makes the reports of sums anew, so that each disk has one of the two. */
  private readonly hasSums: boolean;

  constructor(
    seed: string,
    index: number,
    private readonly LifeClass: typeof LifeStore,
  ) {
    this.choices = new Choices(seededRandomSource(seed, 1));
    this.noise = seededRandomSource(seed, 2);
    this.settings = settingsToTry[index % settingsToTry.length] ?? {};
    this.hasSums = index % 2 === 0;
    this.network = new Network(() =>
      this.isCalm
        ? 'well'
        : this.choices.oneOf(['well', 'well', 'lost answer', 'unreachable', 'failing'] as const),
    );
    const budget = { ...defaultMeasurement.budget, ...(this.settings['budget'] as object | undefined) };
    this.ledger = new Ledger(this.network, budget);
  }

  async run(deaths: number): Promise<Omit<Found, 'deaths'>> {
    connect(this.network);
    await this.setUp();
    const wrong: string[] = [];
    for (let death = 0; death < deaths && wrong.length === 0; death++) {
      await this.live();
      wrong.push(...this.ledger.check(await this.disk.contents(), this.time));
    }
    if (wrong.length === 0) wrong.push(...(await this.end()));
    return { registered: this.seen, taken: this.network.taken.size, wrong };
  }

  private async setUp(): Promise<void> {
    const { settings, clock, joining } = await startBackground(
      new LifeStore(this.disk),
      this.noise,
      this.documents,
    );
    await clock.setTo(this.time, true);
    const debug = { enabled: true, noise: true, delay: true, debugReports: true };
    await settings.update({ ...this.settings, debug });
    await joining.accept(null);
  }

  /** One run of the background, until it is killed. */
  private async live(): Promise<void> {
    const life = new this.LifeClass(this.disk);
    life.diesAt = 1 + this.choices.below(LONGEST_LIFE);
    this.network.maySend = this.answer === 'accepted';
    // The next run of the background erases what this one did not.
    if (this.answer === 'withdrawing') this.ledger.erases('all');
    try {
      const background = await startBackground(life, this.noise, this.documents);
      while (!life.isDead) await this.doSomething(background);
    } catch {
      // It was killed.
    }
    // What was under way ends.
    await new Promise((resolve) => setImmediate(resolve));
  }

  private async doSomething(background: Background): Promise<void> {
    const steps = Array.from({ length: 1 + this.choices.below(3) }, () => this.step(background));
    await Promise.allSettled(steps);
    await background.delivery.run();
  }

  private step(background: Background): Promise<unknown> {
    const { clock, delivery, recorder, erasing, joining, participation } = background;
    const choice = this.choices.below(100);
    if (choice < 40) return this.seeSource(background);
    if (choice < 73) return this.seeTrigger(background);
    if (choice < 93) return this.advance(clock).then(() => Promise.all([recorder.catchUp(), delivery.run()]));
    if (choice < 95) return this.erasePart(background);
    if (choice < 96) {
      this.ledger.erases('all');
      return recorder.alone(() => erasing.erase(null));
    }
    if (choice < 97) return recorder.alone(() => erasing.undo());
    if (choice < 98)
      return joining.offer({ ...trial, settings: this.settings }, 'file').then(() => this.accept(background));
    if (choice < 99) {
      this.ledger.erases('all');
      return joining.withdraw();
    }
    return participation.maySend ? delivery.run() : this.accept(background);
  }

  private accept({ joining, participation }: Background): Promise<void> {
    const { offer, read, document } = participation;
    if (!participation.isAbout(offer?.read ?? read)) this.ledger.erases('all');
    this.network.maySend = true;
    return joining.accept(offer?.read.document ?? document);
  }

  private erasePart({ erasing, recorder }: Background): Promise<unknown> {
    this.ledger.erases('part');
    const scope = this.partToErase();
    return recorder.alone(() => erasing.erase(scope));
  }

  private partToErase(): ErasingScope {
    if (this.hasSums || this.choices.below(2) === 0)
      return {
        kind: 'sites',
        sites: [this.choices.oneOf(['https://news0.example', 'https://shop0.example'])],
      };
    const to = this.time - this.choices.below(2) * DAY;
    return { kind: 'time', from: to - DAY, to };
  }

  private advance(clock: Background['clock']): Promise<void> {
    const step = this.choices.oneOf([1000, 11_000, 10 * MINUTE, DAY, 3 * DAY]);
    this.time = moment(this.time + step);
    return clock.setTo(this.time, true);
  }

  private seeSource(background: Background): Promise<void> {
    const source = sourceHeader(this.choices, ++this.seen, this.hasSums);
    return this.see(background, `https://news${this.choices.below(3)}.example` as Origin, {
      source: JSON.stringify(source),
    });
  }

  private seeTrigger(background: Background): Promise<void> {
    const trigger = triggerHeader(this.choices, ++this.seen);
    return this.see(background, `https://shop${this.choices.below(2)}.example` as Origin, {
      trigger: JSON.stringify(trigger),
    });
  }

  /** A response, and the document's declaration of its request, or the click that it follows, before it, after it or never. */
  private see(
    { recorder }: Background,
    contextOrigin: Origin,
    headers: Partial<RegistrationHeaders>,
  ): Promise<void> {
    const url = `https://adtech${this.choices.below(2)}.example/${this.seen}`;
    const common = { time: this.time, tabId: 1, documentId: 'd1', documentOrigin: contextOrigin };
    const requester = {
      tabId: 1,
      frameId: 0,
      documentId: 'd1',
      documentOrigin: contextOrigin,
    };
    const isClick = this.choices.below(2) === 0;
    const requestId = String(this.seen);
    const respond = (): Promise<void> =>
      recorder.response({
        time: this.time,
        requester,
        place: null,
        requestId,
        openerTabId: null,
        eligibility: null,
        kind: isClick ? 'navigation' : 'element',
        requestUrl: url,
        reportingOrigin: new URL(url).origin as Origin,
        headers: { source: null, trigger: null, osSource: false, osTrigger: false, info: null, ...headers },
      });
    const declare = (): Promise<void> =>
      recorder.eligibleRequest(
        {
          ...common,
          place: { kind: 'known', contextOrigin },
          url,
          ...(isClick
            ? { via: 'navigation', eligibility: 'navigation-source', requestId, navigation: requestId }
            : { via: 'element', eligibility: 'event-source-or-trigger' }),
        },
        recorder.asked(),
      );
    const when = this.choices.below(5);
    if (when < 2) return declare().then(respond);
    return when < 4 ? respond().then(declare) : respond();
  }

  /** A last run that nothing ends: all windows close, and every server answers. */
  private async end(): Promise<readonly string[]> {
    this.isCalm = true;
    if (this.answer === 'withdrawing') this.ledger.erases('all');
    this.network.maySend = this.answer === 'accepted';
    const background = await startBackground(new LifeStore(this.disk), this.noise, this.documents);
    if (!background.participation.maySend) await this.accept(background);
    for (let day = 0; day < 45; day++) {
      this.time = moment(this.time + DAY);
      await background.clock.setTo(this.time, true);
      await background.recorder.catchUp();
      await background.delivery.run();
    }
    const contents = await this.disk.contents();
    return [...this.ledger.check(contents, this.time), ...this.ledger.checkEnd(contents)];
  }

  private get answer(): unknown {
    return (this.disk.values.get('agreement') as { readonly answer: string } | null | undefined)?.answer;
  }
}
