import { FIGURE_STYLE, LINES } from './figure-style';
import { escaped } from './figure-svg';

const STYLE = `${FIGURE_STYLE}
body { margin: 2rem auto; max-width: 84rem; padding: 0 1rem; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin-bottom: .5rem; } .facts { padding-left: 1.2rem; max-width: 60rem; } .facts li { margin: .35rem 0; } h2 { font-size: 1.15rem; margin: 0 0 .75rem; } p { max-width: 48rem; }
section { display: grid; grid-template-columns: minmax(20rem, 1fr) minmax(20rem, auto); gap: .5rem 2rem; margin: 2.5rem 0; padding-top: 1.5rem; border-top: 1px solid var(--rule); }
section h2, section p, section .wide { grid-column: 1 / -1; } section p { margin: 0; max-width: none; color: var(--soft); } section > div { min-width: 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .5rem 0; padding: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem 2rem; } .figures > div { max-width: 40rem; } h3 { font-size: 1rem; margin: .5rem 0 0; }
@media (max-width: 56rem) { section { grid-template-columns: 1fr; } }
svg { width: 100%; height: auto; }
.key { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 50%; vertical-align: baseline; }
${LINES.map((line) => `.key.line${line} { background: var(--line${line}); }`).join('\n')}
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .45rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
tbody tr.next td { border-top: 2px solid var(--rule); } th { background: var(--surface); font-size: .8rem; vertical-align: bottom; white-space: normal; hyphens: auto; } th:first-child, td:first-child { text-align: left; }
`;

/**
 * A page that needs no other file, in the colours of the reader's system.
 * @param facts in HTML, what the reader must know first.
 * @param sections in HTML, below each other.
 */
export const pageHtml = (
  title: string,
  facts: readonly string[],
  sections: readonly string[],
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<ul class="facts">
${facts.map((fact) => `<li>${fact}</li>`).join('\n')}
</ul>
${sections.join('\n')}
</body>
</html>
`;

/** The mark of a line in legends and tables. */
export const lineKey = (line: number, name: string): string =>
  `<span class="key line${line}"></span>${escaped(name)}`;

/** @param rows cells in HTML. */
export const tableHtml = (
  headings: readonly string[],
  rows: readonly string[],
): string => `<div class="scroll"><table>
<thead><tr>${headings.map((heading) => `<th scope="col">${escaped(heading)}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`;
