import { html } from './html';
import { icon } from './assets';
import { renderDocument } from './document';
import { messagesIn } from './languages';

/** The form for the token. */
export function renderLogin(language: string, isWrong: boolean): string {
  const words = messagesIn(language);
  return renderDocument(
    language,
    `${words['log-in']} · ${words.title}`,
    html`<main class="login card">
      <h1><img src="${icon}" alt="" width="32" height="32" /> ${words.title}</h1>
      <form class="stack" method="post" action="/login">
        <label for="token">${words.token}</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required autofocus />
        ${isWrong ? html`<p class="bad" role="alert">${words['wrong-token']}</p>` : ''}
        <button class="primary">${words['log-in']}</button>
        <p class="soft small">${words['which-token']}</p>
      </form>
    </main>`,
    html``,
  );
}
