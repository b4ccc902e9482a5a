/** Markup that is safe to send: built by `html`, which escapes every text put into it. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | string | number | readonly Part[];

/** A tagged template for markup. Strings and numbers are escaped, `Html` and lists of it stand as they are. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    strings.reduce((markup, string, index) => markup + render(parts[index - 1] ?? '') + string),
  );
}

/** Takes text for markup without a look at it; for constants of this project only. */
export const raw = (markup: string): Html => new Html(markup);

function render(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  return part.map(render).join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
