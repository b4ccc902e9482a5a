import { articles, type Article } from './articles';
import { clickAd, houseAdCard, posterAd, redirectedAd } from './ads';
import type { Demo } from './demo';
import { frame, sharedFile } from './frame';
import { html, type Html } from '../../../collector/dashboard/html';
import { tossPicture } from './pictures';
import { page, type Site } from './server';

/** A story shows an ad after this many paragraphs. */
const PARAGRAPHS_BEFORE_CLICK_AD = 2;
const PARAGRAPHS_BEFORE_HOUSE_AD = 4;

/** The Daily Toss: a newspaper with the same four ads in every story. */
export const publisherSite =
  (demo: Demo): Site =>
  ({ path }) => {
    const article = path === '/' ? articles[0] : articles.find(({ slug }) => path === `/stories/${slug}`);
    if (article === undefined) return sharedFile('publisher', path);
    return page(
      frame(demo, 'publisher', { title: article.title, body: story(demo, article), hint: hint(demo) }),
    );
  };

const story = (demo: Demo, article: Article): Html =>
  html`${masthead()}
    <main class="story">
      <header class="story-head">
        <p class="section">${article.section}</p>
        <h1>${article.title}</h1>
        <p class="standfirst">${article.standfirst}</p>
        <p class="byline">By <strong>${article.author}</strong> · ${article.minutes} minutes to read</p>
        <figure>
          ${tossPicture()}
          <figcaption>${article.caption}</figcaption>
        </figure>
      </header>
      <aside class="rail" aria-label="Beside the story">
        ${posterAd(demo)} ${more(article)} ${redirectedAd(demo)}
      </aside>
      <article class="story-body">${storyBody(demo, article.paragraphs)}</article>
    </main>`;

function storyBody(demo: Demo, paragraphs: readonly string[]): Html {
  const between = (start: number, end?: number): Html[] =>
    paragraphs.slice(start, end).map((text) => html`<p>${text}</p>`);
  return html`${between(0, PARAGRAPHS_BEFORE_CLICK_AD)} ${clickAd(demo)}
  ${between(PARAGRAPHS_BEFORE_CLICK_AD, PARAGRAPHS_BEFORE_HOUSE_AD)} ${houseAdCard(demo)}
  ${between(PARAGRAPHS_BEFORE_HOUSE_AD)}`;
}

function masthead(): Html {
  const today = new Date().toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  return html`<header class="masthead">
    <p class="dateline"><span>${today}</span><span>Heads edition</span></p>
    <p class="paper-name"><a href="/">The Daily Toss</a></p>
    <p class="motto">All the news that lands</p>
  </header>`;
}

function more(current: Article): Html {
  const others = articles.filter(({ slug }) => slug !== current.slug);
  return html`<section class="more">
    <h2>Also in today’s paper</h2>
    <ul>
      ${others.map(
        ({ slug, section, title }) =>
          html`<li>
            <span class="section">${section}</span>
            <a href="/stories/${slug}">${title}</a>
          </li>`,
      )}
    </ul>
  </section>`;
}

const hint = ({ origins }: Demo): Html =>
  html`<p>
      This page shows four ads. Three register themselves with your browser, when they load or when you click.
      The house ad does not, but a recording rule counts it when half of it has been in view for a second. No
      cookie was set, and the records stay on this device. To see them, click the Cointoss button. The tea ad
      is served at ε = 1: in three of four visits it will report a purchase that nobody made.
    </p>
    <p>
      Next, <strong>click the Decision Coin ad</strong> and buy something. A click has a higher priority than
      a view, so it gets the credit. If you go <a href="${origins.shop}/">straight to the shop</a> instead,
      the newest view gets it.
    </p>`;
