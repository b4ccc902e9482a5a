import { wholeCost, type CandidateConfiguration, type Goal, type OptimizeResult } from './optimize';
import { shortNumber } from './short-number';

const BAR = 56;
const GAP = 40;
const LEFT = 76;
const TOP = 64;
const HEIGHT = 220;
const BOTTOM = 56;
const LEAST_WIDTH = 400;

// Has its own background, so that it is readable on light and dark pages.
const STYLE = `
  svg { color-scheme: light dark; }
  text { font: 13px system-ui, sans-serif; fill: #1c2530; }
  .ground { fill: #ffffff; } .line { stroke: #cfd6de; } .small { font-size: 11px; }
  .value { stroke: #ffffff; stroke-width: 4px; paint-order: stroke; }
  .buckets { fill: #2b6cb0; } .noise { fill: #dd7a1c; } .best { font-weight: 700; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e9ef; } .ground { fill: #161b22; } .line { stroke: #3a4450; }
    .value { stroke: #161b22; } .buckets { fill: #6aa5e3; } .noise { fill: #f0a04b; }
  }`;

const COST: Readonly<Record<Goal, string>> = {
  value: "expected loss of one source's value",
  total: 'variance of the total',
};

/** The trade-off as a picture: for each number of summary buckets, the cost without noise and the cost that noise adds. */
export function tradeOffSvg({ configurations, best }: OptimizeResult, goal: Goal): string {
  const axis = axisFor(configurations.map(wholeCost).reduce((one, other) => Math.max(one, other), -Infinity));
  const width = Math.max(LEAST_WIDTH, LEFT + configurations.length * (BAR + GAP) + GAP);
  const height = TOP + HEIGHT + BOTTOM;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${COST[goal]} by number of summary buckets</title>
<style>${STYLE}
</style>
<rect class="ground" width="${width}" height="${height}"/>
<rect class="buckets" x="${LEFT}" y="18" width="12" height="12"/><text x="${LEFT + 18}" y="29">too few buckets</text>
<rect class="noise" x="${LEFT + 140}" y="18" width="12" height="12"/><text x="${LEFT + 158}" y="29">noise</text>
${axis.ticks.map((tick) => gridLine(tick, axis.top, width)).join('\n')}
${configurations.map((configuration, index) => bar(configuration, index, axis.top, configuration === best)).join('\n')}
<text x="${LEFT}" y="${height - 12}">${COST[goal]} by number of summary buckets${best === null ? '; no configuration fits' : ''}</text>
</svg>
`;
}

function gridLine(tick: number, top: number, width: number): string {
  const y = coordinate(TOP + HEIGHT * (1 - tick / top));
  return `<line class="line" x1="${LEFT}" x2="${width}" y1="${y}" y2="${y}"/><text class="small" x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${shortNumber(tick)}</text>`;
}

function bar(configuration: CandidateConfiguration, index: number, top: number, isBest: boolean): string {
  const { cost, summaryBuckets, fits } = configuration;
  const x = LEFT + GAP + index * (BAR + GAP);
  const middle = x + BAR / 2;
  const solid = coordinate((HEIGHT * cost.buckets) / top);
  const noise = coordinate((HEIGHT * cost.noise) / top);
  const base = TOP + HEIGHT;
  const emphasis = isBest ? ' best' : '';
  const label = `${summaryBuckets.length}${isBest ? ' (best)' : fits ? '' : ' (too large)'}`;
  return [
    `<rect class="buckets" x="${x}" y="${coordinate(base - solid)}" width="${BAR}" height="${solid}"/>`,
    `<rect class="noise" x="${x}" y="${coordinate(base - solid - noise)}" width="${BAR}" height="${noise}"/>`,
    `<text x="${middle}" y="${coordinate(base - solid - noise - 6)}" text-anchor="middle" class="value${emphasis}">${shortNumber(wholeCost(configuration))}</text>`,
    `<text x="${middle}" y="${base + 18}" text-anchor="middle" class="label${emphasis}">${label}</text>`,
  ].join('\n');
}

/** Round numbers from 0 up to at least `most`. */
function axisFor(most: number): { readonly top: number; readonly ticks: readonly number[] } {
  const rough = most > 0 ? most / 5 : 0.2;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.max(1, Math.ceil(most / step));
  return { top: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

const coordinate = (pixels: number): number => Math.round(pixels * 100) / 100;
