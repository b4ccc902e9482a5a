import type { World } from './world';

/** What a person who has just started the demo reads in the terminal. */
export const guide = ({ origins, collector }: World): string => `
  Cointoss is in the browser, and the demo is up:

    The Daily Toss (publisher)   ${origins.publisher}
    Heads & Tails (shop)         ${origins.shop}
    Flipside Ads (ad server)     ${origins.adtech}
    Collector                    ${collector.origin}

  1. Read the story on the publisher's page. Ads that you see are counted on this device only.
  2. Click the Decision Coin ad, then "Buy now" in the shop.
  3. Click the Cointoss button (it may hide behind the puzzle piece): it tells what was recorded
     and when the next report leaves. Debug mode is on, so you can turn the clock forward there.
  4. Look at the collector: the noisy reports have arrived.

  Ctrl-C, or closing the browser, ends the demo and forgets everything.
`;
