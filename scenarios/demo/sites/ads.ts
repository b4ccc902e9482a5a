import { coinClick, houseAd, spinnerRedirect, teaView } from './campaigns';
import type { Demo } from './demo';
import { html, type Html } from '../../../collector/dashboard/html';
import { notebookPicture } from './pictures';

/** An impression: the response with the image registers an event source. */
export const posterAd = ({ origins }: Demo): Html =>
  slot(
    'Counted when the image loads, at ε = 1',
    html`<img
      id="ad-view"
      attributionsrc
      src="${origins.adtech}/ad/impression.svg?campaign=${teaView.id}"
      width="300"
      height="250"
      alt="Second-Flip Tea: steep, wait, decide. At Heads & Tails."
    />`,
  );

/** The click requests `attributionsrc`, whose response registers a navigation source; the link itself leads to the shop. */
export const clickAd = ({ origins }: Demo): Html =>
  slot(
    'Counted when you click',
    html`<a
      id="ad-click"
      attributionsrc="${origins.adtech}/click?campaign=${coinClick.id}"
      href="${origins.shop}/product/decision-coin"
      ><img
        src="${origins.adtech}/ad/click.svg"
        width="600"
        height="240"
        alt="The Decision Coin: yes on one side, no on the other. € 42 at Heads & Tails."
    /></a>`,
  );

/** Has no attribution markup and no headers: only a recording rule recognises it as an ad. */
export const houseAdCard = ({ origins }: Demo): Html =>
  slot(
    'Counted by a rule, after a second in view',
    html`<a
      id="ad-house"
      class="house-ad"
      data-campaign="${houseAd.id}"
      href="${origins.shop}/product/book-of-small-bets"
    >
      ${notebookPicture()}
      <span>
        <strong>The Book of Small Bets</strong>
        <span>Write it down before you toss. A notebook for readers of The Daily Toss.</span>
        <em>€ 18 at Heads &amp; Tails</em>
      </span>
    </a>`,
  );

/** The image's address redirects; both responses register a source. */
export const redirectedAd = ({ origins }: Demo): Html =>
  slot(
    'Counted twice, by a redirect',
    html`<img
      id="ad-redirect"
      attributionsrc
      src="${origins.adtech}/redirect?campaign=${spinnerRedirect.id}"
      width="300"
      height="250"
      alt="The Spinner: for questions a coin cannot answer. At Heads & Tails."
    />`,
  );

const slot = (counted: string, ad: Html): Html =>
  html`<figure class="ad">
    <figcaption><span>Advertisement</span><span>${counted}</span></figcaption>
    ${ad}
  </figure>`;
