import { isLong } from '../../unit/helpers/is-long';

/** How a page makes a frame, and what it does then. */
export interface FrameRace {
  readonly what: string;
  /**
   * The body of an async function of `allow` (null: no attribute), `url` (a page that sends a message to the one around it once all its
   * requests are answered), `hop` (a page that goes on to its query) and `pageTools`.
   */
  readonly make: string;
  /** Whether our own code decides, of what the browser tells in another race, too. Then `npm test` has it in one browser. */
  readonly isOurs?: boolean;
}

/** In ms: how long the page is busy after it made a frame. */
const delays = isLong ? [0, 50, 100, 200, 400, 800, 1500, 3000, 6000] : [0, 800];

/** In ms: longer than a message takes to the background. */
const BUSY = isLong ? 300 : 150;

/** What the code of a race may call. */
export const pageTools = `
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const busy = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
  const prepared = (allow, tag = 'iframe') => {
    const element = document.createElement(tag);
    if (allow !== null) element.setAttribute('allow', allow);
    return element;
  };
  const frame = (allow, url, parent = document.body) => {
    const element = prepared(allow);
    element.src = url;
    parent.append(element);
    return element;
  };
  const host = () => document.body.appendChild(document.createElement('div'));
  const attribute = (allow) => (allow === null ? '' : 'allow="' + allow + '"');`;

export const frameRaces: readonly FrameRace[] = [
  ...delays.map((delay) => ({
    what: `the page is busy for ${delay} ms`,
    make: `frame(allow, url); busy(${delay});`,
    isOurs: delay === 0,
  })),
  {
    what: 'the page is busy each 50 ms',
    make: `frame(allow, url); for (let turn = 0; turn < ${isLong ? 5 : 2}; turn++) { busy(150); await sleep(50); }`,
    isOurs: true,
  },
  {
    what: 'the messages of the document are used up',
    make: `for (let id = 0; id < 210; id++) {
        const image = new Image();
        image.setAttribute('attributionsrc', '');
        image.src = 'data:,' + id;
        image.src = '/nothing?' + id;
        document.body.append(image);
      }
      frame(allow, url);`,
    isOurs: true,
  },
  {
    what: 'its element is in an open shadow tree',
    make: `frame(allow, url, host().attachShadow({ mode: 'open' })); busy(${BUSY});`,
    isOurs: true,
  },
  {
    what: 'its element is in a closed shadow tree',
    make: `frame(allow, url, host().attachShadow({ mode: 'closed' })); busy(${BUSY});`,
    isOurs: true,
  },
  {
    what: 'its element is in a closed shadow tree of HTML',
    make: `host().setHTMLUnsafe('<p><template shadowrootmode="closed"><iframe ' + attribute(allow) + ' src="' + url + '"></iframe></template></p>');`,
  },
  {
    what: 'it gets two URLs in one task',
    make: `frame(allow, url + '?first').src = url; busy(${BUSY});`,
    isOurs: true,
  },
  {
    what: 'its element has no URL, and a script leads it there',
    make: `const element = prepared(allow); document.body.append(element); element.contentWindow.location = url; busy(${BUSY});`,
  },
  {
    what: 'its element has no URL, and a link leads it there',
    make: `const element = prepared(allow);
      element.name = 'frame' + Math.random();
      document.body.append(element);
      const link = document.createElement('a');
      [link.href, link.target] = [url, element.name];
      link.click();
      busy(${BUSY});`,
  },
  {
    what: 'it goes on by itself',
    make: `frame(allow, hop + '?' + encodeURIComponent(url)); await sleep(300); busy(${BUSY});`,
  },
  {
    what: 'many records come at once',
    make: `const element = prepared(allow);
      document.body.append(element);
      for (let id = 0; id < 60; id++) document.body.append(new Image());
      element.src = url;
      busy(${BUSY});`,
    isOurs: true,
  },
  {
    what: 'its element is removed while the page is busy, once all that it asked for is answered',
    // Before: the browser gives up a request of a frame that is gone, so there is no answer to count.
    make: `const element = frame(allow, url);
      const isAsking = ({ source }) => source === element.contentWindow;
      await new Promise((resolve) => addEventListener('message', (event) => isAsking(event) && resolve()));
      busy(${BUSY});
      element.remove();`,
  },
];
