import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { epsilon } from '../../../src/model/units';
import { startDemoSites, type DemoSites, type ArrivedReport } from '../../../scenarios/demo/sites';
import { openTour } from '../../../scenarios/demo/sites/tour';

const report: ArrivedReport = {
  sourceEventId: '2002000001',
  triggerData: '2',
  isClick: true,
  randomizedRate: 0.0024,
  fake: false,
};

describe('the guided demo', () => {
  it.each([
    [[], 'see'],
    [['see'], 'click'],
    [['see', 'click'], 'buy'],
    [['see', 'click', 'buy'], 'clock'],
    // Whoever goes straight to the shop is not sent back to an ad.
    [['buy'], 'clock'],
    [['see', 'see', 'buy', 'report'], 'read'],
    // A report of what happened before counts for nothing yet.
    [['report', 'see'], 'click'],
    [['report', 'see', 'click', 'buy', 'end'], null],
    [['see', 'click', 'buy', 'report', 'end', 'begin'], 'see'],
    [['see', 'click', 'buy', 'report', 'end', 'begin', 'buy'], 'clock'],
    [['see', 'click', 'buy', 'report', 'end', 'begin', 'buy', 'report'], 'read'],
  ] as const)('is after %j at the step %j', async (events, step) => {
    let arrived: readonly ArrivedReport[] = [];
    const tour = openTour(() => Promise.resolve(arrived));
    for (const event of events) {
      if (event === 'report') arrived = [report, ...arrived];
      else if (event === 'end') tour.end();
      else if (event === 'begin') tour.begin();
      else tour.happened(event);
      await tour.arrived();
    }
    expect(tour.step()).toBe(step);
  });

  it('states the odds of the ad at ε = 1', () => {
    expect(randomizedTriggerRate(9n, epsilon(1)) * (8 / 9)).toBeCloseTo(0.75, 2);
  });
});

describe('its bar on the demo’s pages', () => {
  let demo: DemoSites;

  beforeAll(async () => {
    demo = await startDemoSites({ publisherPort: 0, shopPort: 0, adtechPort: 0 });
  });

  afterAll(() => demo.close());

  const local = (origin: string): string => origin.replace(/\/\/[a-z]+\.localhost/, '//127.0.0.1');

  const step = async (): Promise<string | undefined> =>
    /data-step="(.*?)"/.exec(await (await fetch(`${local(demo.origins.shop)}/tour`)).text())?.[1];

  it.each([
    ['end', 'http://shop.localhost:1/thanks?order=1', '/thanks?order=1', ''],
    ['begin', 'https://evil.example//evil.example/', '/evil.example/', 'see'],
    ['end', 'no address', '/', ''],
    ['begin', '', '/', 'see'],
  ])('%ss from %j and stays on the site', async (what, referer, location, after) => {
    const response = await fetch(`${local(demo.origins.shop)}/tour/${what}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Referer: referer },
    });
    expect(response.status).toBe(303);
    expect(response.headers.get('Location')).toBe(location);
    expect(await step()).toBe(after);
  });

  it('goes on when an ad is served, on every site', async () => {
    await fetch(`${local(demo.origins.publisher)}/tour/begin`, { method: 'POST', redirect: 'manual' });
    await fetch(`${local(demo.origins.adtech)}/ad/tea.svg?campaign=1001`);
    expect(await step()).toBe('click');
  });
});
