/** As in table.css. */
const FONTS = { cell: '13px', heading: '600 12.5px', link: '550 13px' } as const;

/** More than all tables show at a time. */
const MOST_KNOWN = 10_000;

type Font = keyof typeof FONTS;

let context: CanvasRenderingContext2D | null = null;
const known: Readonly<Record<Font, Map<string, number>>> = {
  cell: new Map(),
  heading: new Map(),
  link: new Map(),
};

/** The width of a text of a table in one line, in pixels, rounded up. */
export function textWidth(text: string, font: Font = 'cell'): number {
  const widths = known[font];
  const found = widths.get(text);
  if (found !== undefined) return found;
  if (widths.size >= MOST_KNOWN) widths.clear();
  const width = measure(text, font);
  widths.set(text, width);
  return width;
}

function measure(text: string, font: Font): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (context === null) return 0;
  const family = getComputedStyle(document.body).fontFamily;
  context.font = `${FONTS[font]} ${family}`;
  // Tables show all digits as wide as each other, which canvases cannot be told.
  return Math.ceil(context.measureText(text.replace(/\d/g, '0')).width) + 1;
}
