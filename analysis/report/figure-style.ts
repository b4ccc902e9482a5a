/** How many lines of a figure have a colour of their own. */
export const MOST_LINES = 8;

/** The numbers of the lines that have a colour. */
export const LINES = Array.from({ length: MOST_LINES }, (_, line) => line);

/** For figures, light and dark; pages use its colours, too. */
export const FIGURE_STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1c2530; --soft: #5a6673; --rule: #d5dbe2; --surface: #f6f8fa;
  --line0: #1f6fb2; --line1: #c2570c; --line2: #2d7d46; --line3: #8a3fa0; --line4: #a8283c; --line5: #0f7c80; --line6: #6b6f1d; --line7: #5b5fc7; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181e; --text: #e4e9ef; --soft: #a3afbb; --rule: #38424d; --surface: #1c222a;
  --line0: #6fb1ec; --line1: #f39a55; --line2: #74c78e; --line3: #cf94e2; --line4: #f0818f; --line5: #5cc9cd; --line6: #c3c95a; --line7: #a3a6ff; } }
svg text { font-size: 13px; fill: var(--text); } .grid { stroke: var(--rule); }
svg g { fill: none; stroke-width: 2; } svg polyline { fill: none; }
${LINES.map((line) => `.line${line} { stroke: var(--line${line}); } .line${line} circle, td .line${line} { fill: var(--line${line}); }`).join('\n')}
`;
