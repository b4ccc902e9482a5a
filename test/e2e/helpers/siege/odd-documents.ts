import { source, trigger } from '../registrations';
import { framesOf, inWaves, serverOf, type Attack } from './attack';

/** Runs in a page: one more worker that registers. */
function work(url: string): void {
  const code = `for (let index = 0; index < 5; index++) fetch('${url}?' + performance.now()).catch(() => undefined)`;
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const holder = globalThis as { workers?: Worker[] };
  const workers = (holder.workers ??= []);
  workers.push(new Worker(address));
  // On a loaded machine the last ones have hardly begun.
  if (workers.length > 3) workers.shift()?.terminate();
}

/** Workers, whose requests belong to no tab. */
export const workers: Attack = ({ sites }, site, siege) =>
  inWaves(work, sites.serve(serverOf(site), '/worker', { headers: trigger(0) }), siege);

/** Runs in a page: loads its frame anew. */
function reload(url: string): void {
  document.querySelector('iframe')?.remove();
  const frame = document.createElement('iframe');
  frame.src = url;
  document.body.append(frame);
}

/** Runs in a frame. */
function askWhenLeft(url: string): void {
  addEventListener('pagehide', () => {
    const image = new Image();
    image.setAttribute('attributionsrc', url);
    document.body.append(image);
    const attributionReporting = { eventSourceEligible: true, triggerEligible: false };
    void fetch(`${url}?kept`, { keepalive: true, attributionReporting } as RequestInit).catch(
      () => undefined,
    );
  });
}

/** Documents that come and go, and register while they go. */
export const leaving: Attack = ({ sites }, site, siege) => {
  const url = sites.serve(serverOf(site), '/leaving', { headers: source(1, sites.origin(site)) });
  const frame = sites.page(
    `${site}-leaving`,
    `<script>(${askWhenLeft.toString()})(${JSON.stringify(url)})</script>`,
  );
  return framesOf([sites.page(`${site}-around`, inWaves(reload, frame, siege))]);
};

/** Runs in a page: frames whose policies are to be told apart. */
function forbid(): void {
  for (const frame of document.querySelectorAll('iframe')) frame.remove();
  for (let index = 0; index < 4; index++) {
    const frame = document.createElement('iframe');
    frame.allow = `attribution-reporting ${index % 2 === 0 ? "'none'" : `https://ad-${index}.example`}`;
    frame.srcdoc = '<img attributionsrc="/policy">';
    document.body.append(frame);
  }
}

/** Frames with Permissions Policies of their own. */
export const policies: Attack = ({ sites }, site, siege) =>
  framesOf([sites.page(`${site}-policies`, inWaves(forbid, null, siege))]);

/** Runs in a page that a recording rule names: more and more elements that count, at an address of 48,000 characters. */
function meetRule(): void {
  history.replaceState(null, '', `/${'a'.repeat(48_000)}`);
  for (let index = 0; index < 20; index++) {
    const element = document.createElement('p');
    element.className = 'counts';
    element.textContent = 'a'.repeat(2000);
    document.body.prepend(element);
  }
  for (const old of [...document.querySelectorAll('.counts')].slice(40)) old.remove();
}

/** Addresses at which `starryRule` has most to do. */
const STARRY = '/aaaaaaaaaaaaaaaa';

/** Elements and addresses for a recording rule. */
export const meetingRules: Attack = ({ sites }, site, siege) =>
  framesOf([sites.page(`${site}-rules`, inWaves(meetRule, null, siege), STARRY)]);

/** A recording rule of a study, for pages whose address has eight times the letter a. */
export const starryRule = (reportingOrigin: string, destination: string): object => ({
  id: 'starry',
  matches: [`http://*.localhost/*${'a*'.repeat(8)}`],
  selector: '.counts',
  on: 'viewable',
  register: 'source',
  reportingOrigin,
  registration: { destination, source_event_id: '1' },
});
