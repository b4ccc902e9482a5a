/** Safe markup, built by `html`, which escapes every text in it. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | string | number | readonly Part[];

/** A template tag for markup. Escapes strings and numbers; keeps `Html` and lists of it. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    strings.reduce((markup, string, index) => markup + render(parts[index - 1] ?? '') + string),
  );
}

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
