import { changeFor } from '../../../extension/pages/explain/change';
import { whySentence, whySteps } from '../../../extension/pages/explain/why';
import { openFile } from '../../../extension/pages/data/snapshot/open-file';
import { mistakes, sampleSession } from '../../../extension/pages/data/snapshot/sample-session';
import { outcomeOf } from '../../../extension/pages/words/outcome';

/** What the page says of each mistake: why, and what to change if the reason does not say that. */
const answers: Readonly<Record<string, readonly [why: RegExp, change?: RegExp]>> = {
  misspelt: [/must have the field "destination"/],
  'not-json': [/"}" is missing at the end of an object/],
  number: [/priority: must be a string .* was 5\.$/],
  insecure: [/destination: must be a URL with https.* was "http:/],
  'too-many': [/could reveal more bits than the limit allows/, /ε of at most 7\.539:$/],
  malformed: [/event_trigger_data: must be a list, was 3\.$/],
  'no-data': [/^The header has no event_trigger_data/, /^Name the kind of conversion:$/],
  'no-source': [/^This reporting origin has no source for this site/],
  'another-site': [
    /^The nearest source is for bank\.example, and the conversion happened on shop\.example\.$/,
    /^The source must name the destination shop\.example\. It names bank\.example\.$/,
  ],
  refused: [/source_event_id: must be a string .* was 7\.$/, /^Fix what was wrong with the source\.$/],
  expired: [/expired before the conversion: Jan 16, 2027/, /^Give the source a longer expiry\.$/],
  'too-late': [
    /^The source’s last report window for trigger data 1 ended Jan 15, 2027, 1:11 AM, and the conversion happened Jan 17, 2027, 12:11 AM\.$/,
    /^Give the source a report window of at least 172,801 seconds/,
  ],
  filters: [/^The conversion’s top-level filters/, /^Change a filter of the conversion/],
  'same-key': [/already counted a conversion with the same deduplication_key/, /for example 6\. One with 5/],
  'other-data': [/does not list this trigger data/, /does not have trigger data 5\. It has 0, 1:$/],
};

test('each mistake of the sample session comes to nothing, and the page says why and what to change', async () => {
  const { file, errors } = await openFile(sampleSession());
  expect(errors).toEqual([]);
  const { log = [], sources = [] } = file?.snapshot.tables ?? {};
  expect(Object.keys(mistakes)).toEqual(Object.keys(answers));
  for (const [name, [why, fix]] of Object.entries(answers)) {
    const [entry] = log
      .filter(({ reportingOrigin }) => reportingOrigin === `https://${name}.example`)
      .sort((a, b) => b.id - a.id);
    if (entry === undefined) throw new Error(`nothing is logged of ${name}`);
    const deciding = whySteps(entry, true).find((step) => step.deciding);
    expect(['kept', 'credited', 'ignored']).not.toContain(outcomeOf(entry, true).key);
    const change = changeFor(entry, deciding, sources, log);
    expect([name, change?.cause ?? whySentence(entry, true)]).toEqual([name, expect.stringMatching(why)]);
    expect([name, change?.sentences.join(' ') ?? '']).toEqual([name, expect.stringMatching(fix ?? /^$/)]);
  }
});
