import { html, type Html } from '../../../collector/dashboard/html';
import { coinClick, houseAd, spinnerRedirect, teaView } from './campaigns';
import type { Demo } from './demo';
import { layout } from './layout';
import { houseAdPicture, impressionPage, liftPage } from './recorded';
import type { Reply, Site } from './server';

/** The Daily Toss: a newspaper with two stories. The second one's ad reports mostly noise, so the tour leads there last. */
export const publisherSite =
  (demo: Demo): Site =>
  ({ path }) => {
    if (path === '/second') return secondStory(demo);
    if (path === '/w3c') return impressionPage(demo);
    if (path === '/lift') return liftPage(demo);
    if (path === '/house.svg') return houseAdPicture();
    if (path !== '/') return null;
    return layout(demo, 'publisher', {
      title: 'The coin that keeps a secret',
      body: story(demo),
      hint: hint(demo),
    });
  };

const story = ({ origins }: Demo): Html =>
  html`<article>
    <h1>The coin that keeps a secret</h1>
    <p class="lead">
      Sixty years ago a statistician found a way to ask people embarrassing questions and get honest answers.
    </p>
    <p>
      In 1965 Stanley Warner proposed to leave whoever asks in the dark on purpose. In the version that
      classrooms love, everyone tosses a coin that nobody else can see. Heads: answer truthfully. Tails: toss
      again, and say “yes” or “no” as the second toss commands. A “yes” may now be a confession, or it may be
      a coin.
    </p>
    ${slot(
      'Counted when you click',
      // The click requests attributionsrc, whose response registers a navigation source; the link leads to the shop.
      html`<a
        id="ad-click"
        attributionsrc="${origins.adtech}/click?campaign=${coinClick.id}"
        href="${origins.shop}/"
        ><img
          src="${origins.adtech}/ad/click.svg"
          width="600"
          height="200"
          alt="The Decision Coin: yes on one side, no on the other. € 42 at Heads & Tails."
      /></a>`,
    )}
    <p>
      And yet the crowd cannot hide. If four hundred of a thousand say “yes”, about two hundred and fifty were
      only obeying their second toss. The hundred and fifty that remain come from the five hundred or so who
      told the truth: three in ten, and not one of them has been caught.
    </p>
    ${slot(
      'Counted by a rule, after a second in view',
      // Without attribution markup and headers: only a recording rule recognises it as an ad.
      html`<a id="ad-house" class="house-ad" data-campaign="${houseAd.id}" href="${origins.shop}/">
        <strong>The Book of Small Bets</strong> Write it down before you toss. At Heads &amp; Tails.
      </a>`,
    )}
    <p>
      Today the coin is loaded, and your browser holds it. A measuring system can let the browser say whether
      an ad led to a purchase, and have it lie at random now and then: once in a few hundred answers, or every
      third one, as strictly as is wanted.
    </p>
    ${slot(
      'Counted when the image loads: twice, by a redirect',
      html`<img
        attributionsrc
        src="${origins.adtech}/redirect?campaign=${spinnerRedirect.id}"
        width="300"
        height="200"
        alt="The Spinner: for questions a coin cannot answer. At Heads & Tails."
      />`,
    )}
  </article>`;

/** The page to which the last step of the tour leads those who want to see noise. */
const secondStory = (demo: Demo): Reply =>
  layout(demo, 'publisher', {
    title: 'Mostly coins',
    body: html`<article>
      <h1>Mostly coins</h1>
      <p class="lead">A small ε protects more, and says less.</p>
      <p>
        At ε = 1, a browser that may give nine different answers gives a random one most of the time. Whoever
        reads one of them learns next to nothing. Whoever reads ten thousand still learns how many people
        bought.
      </p>
      ${slot(
        'Counted when the image loads, at ε = 1',
        html`<img
          attributionsrc
          src="${demo.origins.adtech}/ad/tea.svg?campaign=${teaView.id}"
          width="300"
          height="200"
          alt="Second-Flip Tea: steep, wait, decide. At Heads & Tails."
        />`,
      )}
    </article>`,
    hint: html`<p>
      The tea ad is served at ε = 1. Your browser has already drawn what this view will report: in three of
      four visits, a purchase that nobody made. Click the Cointoss button and
      <strong>turn the clock forward</strong> to see it arrive.
    </p>`,
  });

const slot = (counted: string, ad: Html): Html =>
  html`<figure class="ad">
    <figcaption><span>Advertisement</span> <span>${counted}</span></figcaption>
    ${ad}
  </figure>`;

const hint = ({ origins }: Demo): Html =>
  html`<p>
      This page shows three ads. Two register themselves with your browser, when they load or when you click.
      The house ad does not, but a recording rule counts it when half of it has been in view for a second. No
      cookie was set, and the records stay on this device. To see them, click the Cointoss button.
    </p>
    <p>
      Next, <strong>click the Decision Coin ad</strong> and buy something. A click has a higher priority than
      a view, so it gets the credit. If you go <a href="${origins.shop}/">straight to the shop</a> instead,
      the newest view gets it.
    </p>`;
