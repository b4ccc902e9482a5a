import type { PagePlace } from '../../../recording/places';
import type { Declaration, ObservedResponse } from '../../../recording/requests';
import { moment, type Origin } from '../../../src/model/units';
import { growthBetween } from '../helpers/costs/measure';
import { newInbox } from '../helpers/inbox';
import type { Inbox } from '../../../extension/background/record/inbox';

/* What a page can fill the inbox with, up to the room that it has. Twice as much takes at most three times the processor time. */

// Nothing is written here.
beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

const NEWS = 'https://news.example' as Origin;
const place: PagePlace = { kind: 'known', contextOrigin: NEWS };
const time = moment(1_800_000_000_000);

const declaration = (url: string, documentId: string): Declaration => ({
  ...{ time, url, documentId, place, tabId: 1, documentOrigin: NEWS },
  ...{ via: 'element', eligibility: 'event-source' },
});

const response = (requestUrl: string, kind: ObservedResponse['kind'], id: number): ObservedResponse => ({
  time,
  requestId: `r${id}`,
  kind,
  requester: {
    ...(kind === 'worker' ? { tabId: -1 } : { tabId: 1, documentId: 'd' }),
    ...{ frameId: 0, documentOrigin: NEWS },
  },
  requestUrl,
  reportingOrigin: 'https://a.example' as Origin,
  openerTabId: null,
  headers: { source: '{}', trigger: null, osSource: false, osTrigger: false, info: null },
  eligibility: null,
});

const url = (id: number): string => `https://a.example/${id}`;

/** By what a page does: one step of it. */
const floods: Readonly<Record<string, { readonly most: number; readonly step: Step }>> = {
  'declares many URLs': {
    most: 3000,
    step: (inbox, id) => inbox.declare(declaration(url(id), 'd')),
  },
  'declares one URL in many documents': {
    most: 3000,
    step: (inbox, id) => inbox.declare(declaration(url(0), `d${id}`)),
  },
  'declares what then is answered': {
    most: 800,
    step: (inbox, id) => {
      for (let twice = 0; twice < 4; twice++) inbox.declare(declaration(url(4 * id + twice), 'd'));
      return inbox.add(response(url(4 * id), 'element', id), place);
    },
  },
  'declares what was answered': {
    most: 800,
    step: (inbox, id) => {
      const added = inbox.add(response(url(id), 'element', id), null);
      inbox.place(added?.row.id ?? 0, place);
      return added && inbox.declare(declaration(url(id >> 1), 'd'));
    },
  },
  'asks for one URL again and again, then declares it': {
    most: 800,
    step: (inbox, id, count) =>
      id < count / 2
        ? inbox.add(response(url(0), 'element', id), place)
        : inbox.declare(declaration(url(0), 'd')),
  },
  'has a worker ask for what many documents declare': {
    most: 800,
    step: (inbox, id) => {
      for (let part = 0; part < 3; part++) inbox.declare(declaration(url(0), `d${3 * id + part}`));
      return inbox.add(response(url(0), 'worker', id), place);
    },
  },
};

type Step = (inbox: Inbox, id: number, count: number) => object | null;

test.each(Object.entries(floods))('a page that %s', async (_, { most, step }) => {
  const timeAt = async (count: number): Promise<number> => {
    const inbox = await newInbox();
    const before = process.cpuUsage();
    for (let id = 0; id < count; id++)
      if (step(inbox, id, count) === null && id < most) throw new Error(`no room for ${id}`);
    await inbox.erase(null);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  expect(await growthBetween(timeAt, most / 16, most)).toBeNull();
});
