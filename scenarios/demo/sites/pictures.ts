import { html, type Html } from '../../../collector/dashboard/html';

// Decoration beside text that says the same, so hidden from screen readers.

/** Moments of a toss: the height above the hand, and how far the face is turned to us (1 fully, 0 edge on). */
const MOMENTS: readonly { readonly x: number; readonly y: number; readonly face: number }[] = [
  { x: 76, y: 196, face: 0.34 },
  { x: 156, y: 122, face: 0.8 },
  { x: 246, y: 76, face: 1 },
  { x: 340, y: 60, face: 0.12 },
  { x: 434, y: 76, face: 0.62 },
  { x: 524, y: 122, face: 0.95 },
  { x: 604, y: 196, face: 0.28 },
];
const COIN_RADIUS = 38;

/** A wide picture of a coin in flight, in the page's own colours. */
export const tossPicture = (): Html =>
  html`<svg class="toss" viewBox="0 0 680 270" aria-hidden="true">
    <rect class="sky" width="680" height="270" />
    <path class="path" d="M76 196Q340 -76 604 196" />
    ${MOMENTS.map(({ x, y, face }, i) => tossedCoin(x, y, face, i))}
    <path class="hand" d="M28 270v-22q0-26 26-26h38q26 0 26 26v22z" />
    <path class="thumb" d="M48 236 Q62 214 96 212" />
  </svg>`;

function tossedCoin(x: number, y: number, face: number, index: number): Html {
  const height = COIN_RADIUS * face;
  return html`<g class="coin" transform="translate(${x} ${y}) rotate(${index * 9 - 27})">
    <ellipse class="edge" cy="6" rx="${COIN_RADIUS}" ry="${height}" />
    <ellipse class="face" rx="${COIN_RADIUS}" ry="${height}" />
    <ellipse class="rim" rx="${COIN_RADIUS - 7}" ry="${Math.max(0, height - 7 * face)}" />
    <g transform="scale(1 ${face})">
      <text y="12">${index % 2 === 0 ? '?' : 'T'}</text>
    </g>
  </g>`;
}

export const coinPicture = (): Html =>
  html`<svg viewBox="0 0 240 240" aria-hidden="true">
    <ellipse cx="120" cy="212" rx="78" ry="10" fill="#000" opacity=".14" />
    <circle cx="124" cy="116" r="88" fill="#8a6412" />
    <circle cx="118" cy="112" r="88" fill="#d9a521" />
    <circle cx="118" cy="112" r="77" fill="none" stroke="#8a6412" stroke-width="2" stroke-dasharray="2 5" />
    <path d="M56 74a74 74 0 0 1 60-36" fill="none" stroke="#fbe6a6" stroke-width="7" stroke-linecap="round" />
    <text
      x="118"
      y="130"
      font-family="Georgia, serif"
      font-size="52"
      font-weight="700"
      fill="#5d430a"
      text-anchor="middle"
    >
      YES
    </text>
  </svg>`;

export const notebookPicture = (): Html =>
  html`<svg viewBox="0 0 240 240" aria-hidden="true">
    <ellipse cx="122" cy="214" rx="76" ry="9" fill="#000" opacity=".14" />
    <rect x="62" y="30" width="126" height="180" rx="7" fill="#efe7d2" />
    <rect x="54" y="24" width="126" height="182" rx="8" fill="#7d2434" />
    <path d="M62 24h12v182H62a8 8 0 0 1-8-8V32a8 8 0 0 1 8-8z" fill="#5c1824" />
    <rect x="92" y="58" width="68" height="52" rx="3" fill="#efe7d2" />
    <g fill="none" stroke="#7d2434" stroke-width="3" stroke-linecap="round">
      <path d="M102 76h48M102 92h30" />
    </g>
    <rect x="166" y="24" width="6" height="182" fill="#2b2022" />
    <path d="M120 206v22l6-7 6 7v-22z" fill="#d9a521" />
  </svg>`;

export const teaPicture = (): Html =>
  html`<svg viewBox="0 0 240 240" aria-hidden="true">
    <ellipse cx="120" cy="212" rx="74" ry="10" fill="#000" opacity=".14" />
    <path d="M60 70h120v128c0 8-27 14-60 14s-60-6-60-14z" fill="#1f6d74" />
    <path d="M60 70h26v138c-16-2-26-6-26-10z" fill="#175257" />
    <ellipse cx="120" cy="70" rx="60" ry="13" fill="#134548" />
    <path d="M54 46h132v20c0 8-30 14-66 14s-66-6-66-14z" fill="#d9a521" />
    <ellipse cx="120" cy="46" rx="66" ry="14" fill="#ecc250" />
    <rect x="80" y="106" width="80" height="66" rx="4" fill="#f6efdc" />
    <path d="M120 118c19 9 22 28 0 44-22-16-19-35 0-44z" fill="#4f8a4b" />
    <path d="M120 124v34" stroke="#f6efdc" stroke-width="2.5" />
  </svg>`;

export const spinnerPicture = (): Html =>
  html`<svg viewBox="0 0 240 240" aria-hidden="true">
    <ellipse cx="120" cy="216" rx="82" ry="9" fill="#000" opacity=".14" />
    <circle cx="120" cy="118" r="92" fill="#c99a63" />
    <circle cx="120" cy="114" r="92" fill="#e6c18d" />
    <path d="M120 114V32a82 82 0 0 1 71 123z" fill="#3d5a80" />
    <path d="M120 114 191 155A82 82 0 1 1 120 32z" fill="#f3ead8" />
    <circle
      cx="120"
      cy="114"
      r="82"
      fill="none"
      stroke="#8d6331"
      stroke-width="2"
      stroke-dasharray="1 7.58"
    />
    <path d="M64 158 L126 106 L178 70 L116 122 Z" fill="#c03a2b" />
    <circle cx="120" cy="114" r="10" fill="#59626e" />
    <circle cx="118" cy="111" r="4" fill="#dfe4ea" />
  </svg>`;
