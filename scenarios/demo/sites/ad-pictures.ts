import { html, type Html } from '../../../collector/dashboard/html';
import { coinPicture, spinnerPicture, teaPicture } from './pictures';

const SERIF = 'Georgia, Liberation Serif, serif';
const SANS = 'system-ui, Helvetica, Liberation Sans, sans-serif';

const teaAd = (): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 250">
    <rect width="300" height="250" fill="#e9f1ec" />
    <path d="M0 190q75-26 150 0t150 0v60H0z" fill="#cfe2d8" />
    <g font-family="${SERIF}" fill="#134548">
      <text x="22" y="52" font-size="29" font-weight="700">Steep.</text>
      <text x="22" y="86" font-size="29" font-weight="700">Wait.</text>
      <text x="22" y="120" font-size="29" font-weight="700">Decide.</text>
      <text x="22" y="156" font-size="15" font-style="italic">Second-Flip Tea</text>
    </g>
    <svg x="136" y="22" width="172" height="172">${teaPicture()}</svg>
    ${shopLine('#134548')}
  </svg>`;

const coinAd = (): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 240">
    <rect width="600" height="240" fill="#123d31" />
    <circle cx="486" cy="112" r="150" fill="#1a5444" />
    <svg x="368" y="2" width="232" height="232">${coinPicture()}</svg>
    <g fill="#f6efdc">
      <g font-family="${SERIF}" font-size="42" font-weight="700">
        <text x="36" y="74">Yes. No.</text>
        <text x="36" y="124">Heavy either way.</text>
      </g>
      <text x="36" y="222" font-family="${SANS}" font-size="17" opacity=".75">Heads &amp; Tails</text>
    </g>
    <rect x="36" y="152" width="252" height="46" rx="23" fill="#d9a521" />
    <text
      x="162"
      y="182"
      font-family="${SANS}"
      font-size="20"
      font-weight="700"
      fill="#123d31"
      text-anchor="middle"
    >
      Decision Coin, € 42
    </text>
  </svg>`;

const spinnerAd = (): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 250">
    <rect width="300" height="250" fill="#23344d" />
    <svg x="118" y="-6" width="210" height="210">${spinnerPicture()}</svg>
    <g font-family="${SERIF}" fill="#f3ead8">
      <text x="22" y="132" font-size="25" font-weight="700">Yes? No?</text>
      <text x="22" y="164" font-size="25" font-weight="700">37 per cent?</text>
      <text x="22" y="193" font-size="15" font-style="italic">The Spinner</text>
    </g>
    ${shopLine('#f3ead8')}
  </svg>`;

function shopLine(colour: string): Html {
  return html`<text x="22" y="230" font-family="${SANS}" font-size="13" font-weight="600" fill="${colour}">
    Heads &amp; Tails
  </text>`;
}

/** By path. */
export const adPictures: ReadonlyMap<string, () => Html> = new Map([
  ['/ad/impression.svg', teaAd],
  ['/ad/click.svg', coinAd],
  ['/ad/redirect.svg', spinnerAd],
]);
