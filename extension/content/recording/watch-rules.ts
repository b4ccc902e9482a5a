import type { ContentRule } from '../../content-messages';
import { forEachMatch, MANY_RECORDS } from '../for-each-match';
import { listen } from '../listen';
import { sendMade } from '../send';
import { watchClicks } from '../watch-clicks';
import { extract } from './extract';
import { ViewabilityWatch } from './viewability';

type On = ContentRule['on'];

/** Sends `rule-met` each time the document meets one of the rules. */
export function watchRules(rules: readonly ContentRule[]): void {
  const usable = rules.filter(isUsable);
  const rulesOn = (on: On): ContentRule[] => usable.filter((rule) => rule.on === on);

  watchEvents(rulesOn('click'), watchClicks);
  watchEvents(rulesOn('submit'), watchSubmits);
  whenParsed(() => {
    rulesOn('visit').forEach((rule) => met(rule, document.documentElement));
    watchViewable(rulesOn('viewable'));
  });
}

/** Selectors and extractors need the complete HTML. */
function whenParsed(action: () => void): void {
  if (document.readyState !== 'loading') action();
  else listen(document, 'DOMContentLoaded', action);
}

/** Sends before it returns, so that the message precedes a navigation. */
function met(rule: ContentRule, element: Element): void {
  // A selector that finds nothing looks through all elements in this one, and elements can be in each other.
  void sendMade(() => ({ kind: 'rule-met', ruleId: rule.id, values: extract(element, rule.extractors) }));
}

/** Whether all selectors of the rule are valid CSS. An invalid rule must not stop the others. */
function isUsable({ id, selector, extractors }: ContentRule): boolean {
  try {
    const nowhere = document.createDocumentFragment();
    for (const each of [selector, ...extractors.map((extractor) => extractor.selector)]) {
      if (each !== null) nowhere.querySelector(each);
    }
    return true;
  } catch (error) {
    console.warn(`Cointoss does not use the recording rule "${id}".`, error);
    return false;
  }
}

/** Without a selector, the page itself counts. */
const selectorOf = ({ selector }: ContentRule): string => selector ?? ':root';

function watchEvents(rules: readonly ContentRule[], watch: (onEvent: (event: Event) => void) => void): void {
  if (rules.length === 0) return;
  watch((event) => {
    const around = event.composedPath().filter((target) => target instanceof Element);
    for (const rule of rules) {
      const innermost = around.find((element) => element.matches(selectorOf(rule)));
      if (innermost !== undefined) met(rule, innermost);
    }
  });
}

function watchSubmits(onSubmit: (event: Event) => void): void {
  const check = (event: Event): void => {
    if (event.isTrusted) onSubmit(event);
  };
  listen(window, 'submit', check, { capture: true });
}

/** Each element counts once per rule, whether it is there from the start or added later. */
function watchViewable(rules: readonly ContentRule[]): void {
  if (rules.length === 0) return;
  const watch = new ViewabilityWatch((element) => {
    for (const rule of rules) if (element.matches(selectorOf(rule))) met(rule, element);
  });
  const search = (node: Node): void => {
    for (const rule of rules) forEachMatch(node, selectorOf(rule), (element) => watch.add(element));
  };
  search(document.documentElement);
  new MutationObserver((records) => {
    // Elements may have been added to elements that were just added, so that each search would find those of the next ones, too.
    if (records.length > MANY_RECORDS) search(document.documentElement);
    else for (const { addedNodes } of records) addedNodes.forEach(search);
  }).observe(document, { childList: true, subtree: true });
}
