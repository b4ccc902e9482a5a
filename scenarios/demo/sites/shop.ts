import type { Demo } from './demo';
import { frame, sharedFile } from './frame';
import { html, type Html } from '../../../collector/dashboard/html';
import { openOrderBook, total, type Order, type OrderBook } from './orders';
import { euros, MAX_QUANTITY, productBySlug, products, type Product } from './products';
import { BadRequest, page, redirect, type Reply, type Site, type SiteRequest } from './server';

/** Heads & Tails: a shop with product pages, an order form and a thank-you page that reports the purchase. */
export function shopSite(demo: Demo): Site {
  const orders = openOrderBook();
  return async (request) => {
    const { method, path } = request;
    if (method === 'POST') return path === '/order' ? takeOrder(request, orders) : null;
    if (path === '/') return shopPage(demo, 'Heads & Tails', shelf(), shelfHint(demo));
    if (path === '/thanks') return thanksPage(demo, orders.byNumber(request.query.get('order')));
    const product = productBySlug(path.replace(/^\/product\//, ''));
    return product === null
      ? sharedFile('shop', path)
      : shopPage(demo, product.name, productDetails(product), productHint(demo));
  };
}

async function takeOrder(request: SiteRequest, orders: OrderBook): Promise<Reply> {
  const form = await request.form();
  const product = productBySlug(form.get('product') ?? '');
  const quantity = Number(form.get('quantity'));
  if (product === null) throw new BadRequest('We do not sell that.');
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
    throw new BadRequest(`We sell 1 to ${MAX_QUANTITY} of a kind.`);
  }
  // Post, redirect, get: reloading the thank-you page orders nothing.
  return redirect(303, `/thanks?order=${orders.add(product, quantity).number}`);
}

function thanksPage(demo: Demo, order: Order | null): Reply {
  if (order === null) {
    return shopPage(
      demo,
      'No such order',
      noOrder(),
      html`<p>Nothing. Without an order there is no conversion.</p>`,
      404,
    );
  }
  return shopPage(demo, 'Thank you', thanks(demo, order), thanksHint());
}

const shopPage = (demo: Demo, title: string, main: Html, hint: Html, status = 200): Reply =>
  page(
    frame(demo, 'shop', {
      title,
      body: html`${shopHeader()}
        <main>${main}</main>`,
      hint,
    }),
    status,
  );

const shopHeader = (): Html =>
  html`<header class="shop-header">
    <a class="shop-name" href="/">Heads <span>&amp;</span> Tails</a>
    <p>Goods for the undecided</p>
  </header>`;

const shelf = (): Html =>
  html`<h1>Can’t decide? <br />We have something for that.</h1>
    <ul class="shelf">
      ${products.map(
        (product) =>
          html`<li>
            <a class="card" href="/product/${product.slug}">
              <span class="picture">${product.picture()}</span>
              <strong>${product.name}</strong>
              <span class="tagline">${product.tagline}</span>
              <span class="price">${euros(product.price)}</span>
            </a>
          </li>`,
      )}
    </ul>`;

const productDetails = (product: Product): Html =>
  html`<div class="product">
    <div class="picture">${product.picture()}</div>
    <div class="details">
      <p class="crumbs"><a href="/">All goods</a></p>
      <h1>${product.name}</h1>
      <p class="tagline">${product.tagline}</p>
      <p class="price">${euros(product.price)}</p>
      ${product.description.map((text) => html`<p>${text}</p>`)}
      <form class="buy" method="post" action="/order">
        <input type="hidden" name="product" value="${product.slug}" />
        <label>
          Quantity
          <select name="quantity">
            ${Array.from({ length: MAX_QUANTITY }, (_, i) => html`<option>${i + 1}</option>`)}
          </select>
        </label>
        <button id="buy" type="submit">Buy now</button>
      </form>
      <p class="note">A demo: no payment, no address, nothing in the post.</p>
    </div>
  </div>`;

const thanks = ({ origins }: Demo, order: Order): Html =>
  html`<div class="thanks">
    <h1>It landed.</h1>
    <p class="tagline">Thank you. This is a demo, so nothing will be sent.</p>
    <section class="receipt" data-receipt-number="${order.receipt}" aria-label="Receipt">
      <h2>Heads &amp; Tails</h2>
      <dl>
        <div>
          <dt>Order</dt>
          <dd class="order-number">${order.number}</dd>
        </div>
        <div>
          <dt>${order.quantity} × ${order.product.name}</dt>
          <dd>${euros(total(order))}</dd>
        </div>
        <div>
          <dt>Shipping</dt>
          <dd>${euros(0)}</dd>
        </div>
        <div class="sum">
          <dt>Total</dt>
          <dd><span class="order-total">${euros(total(order))}</span></dd>
        </div>
      </dl>
    </section>
    <p><a class="button" href="/">Back to the shop</a></p>
    <img
      class="pixel"
      src="${origins.adtech}/conversion?order=${order.number}&total=${total(order)}"
      width="1"
      height="1"
      alt=""
    />
  </div>`;

const noOrder = (): Html =>
  html`<div class="thanks">
    <h1>No such order</h1>
    <p class="tagline">This shop forgets its orders when the demo stops.</p>
    <p><a class="button" href="/">Back to the shop</a></p>
  </div>`;

const shelfHint = ({ origins }: Demo): Html =>
  html`<p>
    Nothing yet: looking around a shop is not a conversion. If you came without clicking an ad, a purchase is
    credited to the newest ad that you saw in <a href="${origins.publisher}/">The Daily Toss</a>. If you saw
    none, no ad gets the credit.
  </p>`;

const productHint = ({ origins }: Demo): Html =>
  html`<p>
    If a click on an ad brought you here, your browser asked the
    <a href="${origins.adtech}/">ad server</a> about the click, and Cointoss keeps the answer on this device.
    Nobody told the shop. To make a conversion, press <strong>Buy now</strong>.
  </p>`;

const thanksHint = (): Html =>
  html`<p>
      The purchase was recorded twice, in two independent ways: by the ad server’s pixel on this page (trigger
      data 2), and by a recording rule that reads the receipt (trigger data 3, with the total as its value).
    </p>
    <p>
      Both conversions are credited to one ad. If you clicked an ad, the click gets them. It may report three
      times, and the views are dropped. If you only looked, the newest view gets them. It may report once, so
      the rule’s conversion stays, because it has the higher priority; it is reported as 3 modulo 2. Now click
      the Cointoss button and <strong>turn the clock forward</strong>: the noisy reports go to the collector.
    </p>`;
