import { html } from '../html';
import { icon } from './assets';
import { renderDocument } from './document';

/** The form for the token. */
export const renderLogin = (problem: string | null): string =>
  renderDocument(
    'Log in · Cointoss collector',
    html`<main class="login card">
      <h1><img src="${icon}" alt="" width="32" height="32" /> Cointoss collector</h1>
      <form class="stack" method="post" action="/login">
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required autofocus />
        ${problem === null ? '' : html`<p class="bad" role="alert">${problem}</p>`}
        <button class="primary">Log in</button>
        <p class="soft small">
          Enter the token that the collector was started with, in COINTOSS_TOKEN or --token-file.
        </p>
      </form>
    </main>`,
    html``,
  );
