import fc from 'fast-check';
import type { Runtime } from 'webextension-polyfill';
import type { PagePlace } from '../../../recording/places';
import type { Origin } from '../../../src/model/units';
import { ContentMessages } from '../../../extension/background/observe/content-messages';
import { DocumentHeaders } from '../../../extension/background/documents/document-headers';
import { Documents } from '../../../extension/background/documents/documents';
import type { Requester } from '../../../recording/requests';
import { SessionMemory } from '../../../extension/background/documents/session-memory';
import { isLong } from '../helpers/is-long';
import type { PlaceUnknown } from '../helpers/unknowns';
import { answerQuestions, endBackground, tell } from '../helpers/webextension';
import { asked } from '../helpers/recording';

const NEWS = 'https://news.example' as Origin;
const AD = 'https://ad.example' as Origin;
const FRAME_URL = `${AD}/ad`;
const OTHERWISE = 'https://tracker.example' as Origin;

/** Orders that are tried. With one order in a hundred that lets a frame register, all pass with probability 0.99^2000 < 1e-8. */
const RUNS = isLong ? 50_000 : 2000;

/** What a page and its frame say of the feature. Any of them can forbid it. */
interface Policies {
  readonly header: boolean;
  readonly frameHeader: boolean;
  readonly attribute: boolean;
}

/** A page with a frame, the background, and what the browser and the page tell it, in any order. */
class Visit {
  private documents!: Documents;
  private content!: ContentMessages;
  private isBusy = true;
  private readonly unanswered: (() => void)[] = [];
  /** Requests for `attributionsrc` that were made. */
  made = 0;
  readonly places: PagePlace[] = [];

  constructor(private readonly forbids: Policies) {
    endBackground();
    answerQuestions(({ frames }) => {
      const allow = this.forbids.attribute ? "attribution-reporting 'none'" : '';
      const answer = frames.map(({ url }) => (url === FRAME_URL ? [{ allow, src: url }] : []));
      return new Promise((resolve) => {
        if (this.isBusy) this.unanswered.push(() => resolve(answer));
        else resolve(answer);
      });
    });
    new SessionMemory().turn(false);
    this.wake();
  }

  /** What can happen, by name. */
  readonly happen: Readonly<Record<Happening, () => void>> = {
    'page answered': () => this.respond(0, `${NEWS}/`, this.forbids.header),
    'page committed': () => tell('committed', { documentId: 'page', url: `${NEWS}/`, tabId: 1, frameId: 0 }),
    'frame begun': () =>
      tell('beforeNavigate', { tabId: 1, frameId: 10, url: FRAME_URL, parentDocumentId: 'page' }),
    'frame answered': () => this.respond(10, FRAME_URL, this.forbids.frameHeader),
    'frame committed': () =>
      tell('committed', {
        documentId: 'ad',
        parentDocumentId: 'page',
        url: FRAME_URL,
        tabId: 1,
        frameId: 10,
      }),
    'page free': () => {
      this.isBusy = false;
      for (const answer of this.unanswered.splice(0)) answer();
    },
    asked: () => this.ask(),
    stopped: () => {
      endBackground();
      // Nobody hears the answers to its questions.
      this.unanswered.length = 0;
      this.wake();
    },
    closed: () => tell('removed', 1),
    left: () => tell('committed', { documentId: 'next', url: 'https://next.example/', tabId: 1, frameId: 0 }),
    'frame leads itself elsewhere': () =>
      tell('beforeNavigate', { tabId: 1, frameId: 10, url: `${AD}/elsewhere`, parentDocumentId: 'page' }),
  };

  /** Asks in each of the ways in which a frame can register. */
  private ask(): void {
    const requester = { documentId: 'ad', parentDocumentId: 'page', tabId: 1, frameId: 10 };
    const frame: Requester = { ...requester, documentOrigin: AD };
    const unnamed: Requester = { tabId: 1, frameId: 10, documentOrigin: AD };
    const worker: Requester = { tabId: -1, frameId: -1, documentOrigin: AD };
    const now = this.documents.placeNow(frame, OTHERWISE);
    if (now !== null) this.places.push(now);
    for (const one of [frame, unnamed, worker])
      void this.documents.placeOf(one, OTHERWISE).then((place) => this.places.push(place));
    const sender = { tab: { id: 1 }, frameId: 10, documentId: 'ad', url: FRAME_URL, origin: AD };
    const message = { kind: 'attributionsrc', urls: [`${AD}/source`] };
    void this.content.answer(message, sender as unknown as Runtime.MessageSender);
  }

  private respond(frameId: number, url: string, forbids: boolean): void {
    const policy = forbids ? 'attribution-reporting=()' : '';
    this.documents.answered({ tabId: 1, frameId, url, policy });
  }

  private wake(): void {
    const memory = new SessionMemory();
    this.documents = new Documents(new DocumentHeaders(memory), memory);
    this.documents.listen();
    this.documents.turn(true);
    const parts = {
      documents: this.documents,
      settings: { isPaused: () => false },
      recorder: { refusals: { dropped: () => undefined } },
      ownRequests: { make: () => void (this.made += 1) },
      asked: () => asked,
    };
    this.content = new ContentMessages(parts as unknown as ConstructorParameters<typeof ContentMessages>[0]);
  }
}

type Happening =
  | Supply
  | 'frame begun'
  | 'asked'
  | 'stopped'
  | 'closed'
  | 'left'
  | 'frame leads itself elsewhere';

/** What tells the background something that it needs to know. */
type Supply = 'page answered' | 'page committed' | 'frame answered' | 'frame committed' | 'page free';

/** By what is missing: what tells it. */
const supplies: Readonly<Record<PlaceUnknown, readonly Supply[]>> = {
  'place document': ['page committed', 'frame committed'],
  'place response': ['page answered', 'frame answered'],
  'place frame-attribute': ['page free'],
  'place worker': ['page committed', 'frame committed'],
};

const SUPPLIES = [...new Set(Object.values(supplies).flat())];

/** The order in which Chrome tells of a page that is never busy. */
const usual: readonly Happening[] = [
  'page answered',
  'page committed',
  'frame begun',
  'frame answered',
  'frame committed',
  'page free',
];

const happening = fc.constantFrom<Happening>(
  'asked',
  'stopped',
  'closed',
  'left',
  'frame leads itself elsewhere',
);
const policies = fc.record({ header: fc.boolean(), frameHeader: fc.boolean(), attribute: fc.boolean() });

/** All that is told, with other things between, in any order; some of it comes twice or never. */
const orders = fc
  .tuple(fc.array(happening, { maxLength: 6 }), fc.subarray([...usual]))
  .chain(([others, again]) => {
    const all: Happening[] = [...usual, ...again, ...others, 'asked'];
    return fc.shuffledSubarray(all, { minLength: all.length - 2 });
  });

beforeAll(() => void jest.useFakeTimers({ now: Date.now() }));
afterAll(() => void jest.useRealTimers());

/** Lets these happen one after the other, and then waits longer than anything waits. */
async function visit(forbids: Policies, order: readonly Happening[]): Promise<Visit> {
  const made = new Visit(forbids);
  await jest.advanceTimersByTimeAsync(0);
  for (const name of order) {
    made.happen[name]();
    await jest.advanceTimersByTimeAsync(1);
  }
  await jest.advanceTimersByTimeAsync(10_000);
  return made;
}

const nothing: Policies = { header: false, frameHeader: false, attribute: false };

test('no order of events lets a frame register that a policy forbids to', async () => {
  await fc.assert(
    fc.asyncProperty(policies, orders, async (forbids, order) => {
      fc.pre(Object.values(forbids).includes(true));
      const { places, made } = await visit(forbids, order);
      expect(places.filter(({ kind }) => kind === 'known')).toEqual([]);
      expect(made).toBe(0);
    }),
    { numRuns: RUNS },
  );
});

test('a frame registers in each order that browsers keep to, if nothing forbids it', async () => {
  // Firefox may tell of a response after the document that it became, and of a request before its document.
  const order = fc.shuffledSubarray([...usual, 'asked' as const], { minLength: 7 }).filter((all) => {
    const at = (name: Happening): number => all.indexOf(name);
    return at('page committed') < at('frame begun') && at('frame begun') < at('frame committed');
  });
  await fc.assert(
    fc.asyncProperty(order, async (all) => {
      const { places, made } = await visit(nothing, [...all, 'asked']);
      expect(places.slice(-4)).toEqual(Array(4).fill({ kind: 'known', contextOrigin: NEWS }));
      expect(made).toBe(2);
    }),
    { numRuns: 500 },
  );
});

test.each(Object.entries(supplies).flatMap(([what, all]) => all.map((supply) => [what, supply] as const)))(
  'with the %s missing because of no "%s", a frame registers nothing in any order',
  async (_what, missing) => {
    const order = fc.shuffledSubarray(
      usual.filter((name) => name !== missing),
      { minLength: usual.length - 1 },
    );
    await fc.assert(
      fc.asyncProperty(order, async (all) => {
        const { places, made } = await visit(nothing, [...all, 'asked']);
        expect(places.filter(({ kind }) => kind === 'known')).toEqual([]);
        expect(places.length).toBeGreaterThan(0);
        expect(made).toBe(0);
      }),
      { numRuns: 100 },
    );
  },
  600_000,
);

test.each(SUPPLIES)('the background may stop before "%s", and after it', async (supply) => {
  const at = usual.indexOf(supply);
  for (const stop of [at, at + 1]) {
    const order: Happening[] = [...usual.slice(0, stop), 'stopped', ...usual.slice(stop), 'asked'];
    for (const attribute of [true, false]) {
      const { places } = await visit({ ...nothing, attribute }, order);
      expect(places.at(-1)?.kind).toBe(attribute ? 'forbidden' : 'known');
    }
  }
});
