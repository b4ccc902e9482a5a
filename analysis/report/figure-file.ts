import { FIGURE_STYLE } from './figure-style';
import {
  escaped,
  figureContent,
  HEIGHT,
  WIDTH,
  type FigureLine,
  type FigureScale,
  type FigureWords,
} from './figure-svg';

const COLUMNS = 3;
const ROW = 22;

/** A figure as a file of its own, with a legend above it, in the colours of the reader's system. */
export function figureFile(words: FigureWords, lines: readonly FigureLine[], scale: FigureScale): string {
  const above = ROW * Math.ceil(lines.length / COLUMNS) + 8;
  const legend = lines.map(({ name }, index) => {
    const x = 64 + (index % COLUMNS) * ((WIDTH - 80) / COLUMNS);
    const y = ROW * (Math.floor(index / COLUMNS) + 1) - above;
    return `<g class="line${index}"><circle cx="${x}" cy="${y - 4}" r="4.5"/></g><text x="${x + 12}" y="${y}">${escaped(name)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-above} ${WIDTH} ${HEIGHT + above}" role="img" aria-label="${escaped(words.title)}">
<style>${FIGURE_STYLE}text { font-family: system-ui, sans-serif; } .ground { fill: var(--ground); }</style>
<rect class="ground" y="${-above}" width="${WIDTH}" height="${HEIGHT + above}"/>
${legend.join('\n')}
${figureContent(words, lines, scale)}
</svg>
`;
}
