import { html, type Html } from '../../../collector/dashboard/html';
import { oddsOf } from '../../../analysis/audit/odds';
import { chromiumLimits } from '../../../src/model/limits';
import { defaultMeasurement } from '../../../src/model/mechanisms';
import { parseSource } from '../../../formats/registration/source';
import { campaignOf, teaView } from './campaigns';
import { dashboardOf, type Demo } from './demo';
import type { Content } from './layout';
import type { ArrivedReport } from './tour';

const MOST = 12;

/** The last step: what the ad server learned, and what it cannot know. */
export const arrivedPage = (demo: Demo, arrived: readonly ArrivedReport[]): Content => ({
  title: 'Reports that arrived',
  body: html`<h1>Reports that arrived</h1>
    <p class="lead">
      All that a report says comes first. Then comes what we cannot know: whether noise invented it. Only this
      demo shows that, because it runs on your machine.
    </p>
    ${
      arrived.length === 0
        ? html`<p>No report has arrived yet. Buy something, then turn the clock.</p>`
        : html`<ul class="arrived">
            ${arrived.slice(0, MOST).map(item)}
          </ul>`
    }
    ${arrived.length > 0 && !arrived.some(ofTea) ? silentTea(demo.origins.publisher) : ''}
    <h2>Why it says what it says</h2>
    <p>
      Click the Cointoss button, then <em>see it, and why</em>. The page of each report leads to its ad and
      its purchase, and to every check that your browser made. The
      ${
        demo.collector === null
          ? 'collector'
          : html`<a href="${dashboardOf(demo.collector)}&truth=true">collector</a>`
      }
      shows what can be learned from many such reports: the estimate beside the truth.
    </p>`,
  hint: html`<p>
    Each report is sent alone, at the end of a report window, and names no person. The tea ad of the second
    story is served at ε = 1, so most of what its reports say is noise. The others are served at ε = 14, the
    usual value, where noise decides what one click in four hundred reports.
  </p>`,
});

const ofTea = ({ sourceEventId }: ArrivedReport): boolean => campaignOf(sourceEventId) === teaView;

function item(report: ArrivedReport): Html {
  const campaign = campaignOf(report.sourceEventId);
  const name = campaign?.name ?? `ad ${report.sourceEventId}`;
  return html`<li data-fake="${String(report.fake)}">
    <p>
      <strong>${name}</strong><br />
      Somebody ${report.isClick ? 'clicked' : 'saw'} this ad, and then bought: kind ${report.triggerData}.
    </p>
    <p>
      <strong>${report.fake ? 'Invented.' : 'True.'}</strong>
      ${
        report.fake
          ? 'The coin fell on noise when the ad was shown. No purchase led to this report.'
          : 'Your purchase led to this report.'
      }
      ${odds(report.randomizedRate)}
    </p>
  </li>`;
}

const odds = (rate: number): Html =>
  html`Of 1000 such ads, noise decides what ${Math.max(1, Math.round(1000 * rate))} report.`;

/** Of 100 visits: in how many noise decides what the tea's ad reports, and in how many that is a purchase that nobody made. */
function teaOdds(): { readonly replaced: number; readonly invented: number } {
  const { value } = parseSource({ destination: TEA_SHOP, ...teaView.more }, 'event', chromiumLimits);
  const odds = value === null ? null : oddsOf(defaultMeasurement, value);
  if (odds?.replaced == null || odds.invented === null) throw new Error('the ad gets randomized response');
  return { replaced: Math.round(100 * odds.replaced), invented: Math.round(100 * odds.invented) };
}

/** Where it leads to makes no difference. */
const TEA_SHOP = 'https://shop.example';

export function silentTea(publisher: string): Html {
  const { replaced, invented } = teaOdds();
  return html`<p>
    Noise seldom decides what such an ad reports. The ad for Second-Flip Tea is served at ε = 1: there, noise
    decides what it reports in ${replaced} of 100 visits, and in ${invented} it reports a purchase that nobody
    made. To see one, <a href="${publisher}/second">open the newspaper’s second story</a> and turn the clock
    again.
  </p>`;
}
