import { randomInt } from 'node:crypto';
import { html, type Html } from '../../../collector/dashboard/html';
import type { Demo } from './demo';
import { layout } from './layout';
import { conversionPage, liftOrderPage } from './recorded';
import { BadRequest, redirect, type Site, type SiteRequest } from './server';

/** In cents. */
const PRICE = 4200;
const MAX_QUANTITY = 5;

/** Heads & Tails: a shop with one product, and a page that thanks for the order and reports the purchase. */
export const shopSite =
  (demo: Demo): Site =>
  (request) => {
    if (request.path === '/')
      return layout(demo, 'shop', { title: 'Decision Coin', body: product(), hint: productHint(demo) });
    if (request.path === '/w3c') return conversionPage(demo);
    if (request.path === '/lift') return liftOrderPage(demo);
    const quantity = Number(request.query.get('quantity'));
    if (request.path === '/order')
      return redirect(303, `/thanks?order=${newNumber()}&quantity=${inStock(quantity)}`);
    if (request.path !== '/thanks') return null;
    const body = thanks(demo, orderNumber(request), inStock(quantity));
    return layout(demo, 'shop', { title: 'Thank you', body, hint: thanksHint() });
  };

// Random, to avoid the numbers of an earlier run whose sources the browser still keeps.
const newNumber = (): number => randomInt(10_000_000, 100_000_000);

function orderNumber({ query }: SiteRequest): string {
  const order = query.get('order') ?? '';
  if (!/^\d{8}$/.test(order)) throw new BadRequest('There is no such order.');
  return order;
}

function inStock(quantity: number): number {
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY)
    throw new BadRequest(`We sell 1 to ${MAX_QUANTITY} of a kind.`);
  return quantity;
}

/** `€ 42.00`, from cents. */
const euros = (cents: number): string => `€ ${(cents / 100).toFixed(2)}`;

const product = (): Html =>
  html`<h1>Decision Coin</h1>
    <p class="lead">Yes on one side, no on the other. Solid brass, and heavy enough to be taken seriously.</p>
    <p class="price">${euros(PRICE)}</p>
    <form action="/order">
      <label
        >Quantity
        <select name="quantity">
          ${Array.from({ length: MAX_QUANTITY }, (_, i) => html`<option>${i + 1}</option>`)}
        </select></label
      >
      <button id="buy">Buy now</button>
    </form>
    <p>A demo: no payment, no address, nothing in the post.</p>`;

const thanks = ({ origins }: Demo, order: string, quantity: number): Html =>
  html`<h1>It landed.</h1>
    <p class="lead">Thank you. This is a demo, so nothing will be sent.</p>
    <dl class="receipt" aria-label="Receipt">
      <dt>Order</dt>
      <dd>${order}</dd>
      <dt>${quantity} × Decision Coin</dt>
      <dd>${euros(PRICE * quantity)}</dd>
    </dl>
    <img
      src="${origins.adtech}/conversion?order=${order}&total=${PRICE * quantity}"
      width="1"
      height="1"
      alt=""
    />`;

const productHint = ({ origins }: Demo): Html =>
  html`<p>
    If a click on an ad brought you here, your browser asked the
    <a href="${origins.adtech}/">ad server</a> about the click, and Cointoss keeps the answer on this device.
    Nobody told the shop. To make a conversion, press <strong>Buy now</strong>. Without a click, the newest ad
    that you saw gets the credit.
  </p>`;

const thanksHint = (): Html =>
  html`<p>
      The ad server’s pixel on this page recorded the purchase: one conversion, with trigger data 2. If you
      clicked an ad, the click gets it, and one report waits for the end of the click’s first window, two days
      after the click. If you only looked, the newest view gets it, and reports 2 modulo 2.
    </p>
    <p>
      Now click the Cointoss button and <strong>turn the clock forward</strong>: the report goes to the
      collector. In one of four hundred clicks, noise decides what is reported, and in a third of these cases
      nothing is reported in the first window. Then click the ad and buy again.
    </p>`;
