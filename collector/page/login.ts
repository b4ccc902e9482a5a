import { html, raw } from '../html';
import { icon, sha256, style } from './page';

const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${sha256(style)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The form that asks for the token. */
export function renderLogin(problem: string | null): {
  readonly page: string;
  readonly contentSecurityPolicy: string;
} {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Log in · Cointoss collector</title>
        <link rel="icon" href="${icon}" />
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <header>
          <img src="${icon}" alt="" width="40" height="40" />
          <div class="title"><h1>Cointoss collector</h1></div>
        </header>
        <main>
          <form class="login" method="post" action="/login">
            <label for="token">Token</label>
            <input
              id="token"
              name="token"
              type="password"
              autocomplete="current-password"
              required
              autofocus
            />
            <button>Log in</button>
            ${problem === null ? '' : html`<p role="alert">${problem}</p>`}
          </form>
        </main>
      </body>
    </html>`.markup;
  return { page, contentSecurityPolicy };
}
