import { dashboardOf } from './sites';
import type { World } from './world';

/** The text in the terminal when the demo starts. */
export const guide = ({ origins, collector }: World): string => `
  Cointoss is in the browser, and the demo is up:

    The Daily Toss (publisher)   ${origins.publisher}
    Heads & Tails (shop)         ${origins.shop}
    Flipside Ads (ad server)     ${origins.adtech}
    Collector                    ${dashboardOf(collector.origin)}

  The bar at the top of these pages leads through five steps; "Skip" ends it. In short:

  1. Read the story on the publisher's page. Ads that you see are counted on this device only.
  2. Click the Decision Coin ad, then "Buy now" in the shop.
  3. Click the Cointoss button (it may be behind the puzzle piece). It shows what was recorded and
     when the next report is sent. Debug mode is on, so you can turn the clock forward there.
  4. Open the collector at the address above: the noisy reports have arrived, and the dashboard estimates what
     happened. You can turn the clock and visit the publisher again as often as you like.

  To end the demo, press Ctrl-C or close the browser. The demo then forgets everything.
`;
