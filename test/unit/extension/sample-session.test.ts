import { changeFor } from '../../../extension/pages/explain/change';
import { whySentence, whySteps } from '../../../extension/pages/explain/why';
import { openFile } from '../../../extension/pages/data/snapshot/open-file';
import { mistakes, sampleSession } from '../../../extension/pages/data/snapshot/sample-session';
import { outcomeOf } from '../../../extension/pages/words/outcome';

test('each mistake of the sample session comes to nothing, and the page says why and differently', async () => {
  const { file, errors } = await openFile(sampleSession());
  expect(errors).toEqual([]);
  const { log = [], sources = [] } = file?.snapshot.tables ?? {};
  const told = Object.keys(mistakes).map((name) => {
    const [entry] = log
      .filter(({ reportingOrigin }) => reportingOrigin === `https://${name}.example`)
      .sort((a, b) => b.id - a.id);
    if (entry === undefined) throw new Error(`nothing is logged of ${name}`);
    const deciding = whySteps(entry, true).find((step) => step.deciding);
    expect(['kept', 'credited', 'ignored']).not.toContain(outcomeOf(entry, true).key);
    return changeFor(entry, deciding, sources, log)?.cause ?? whySentence(entry, true);
  });
  expect(told).toHaveLength(15);
  expect(new Set(told).size).toBe(told.length);
});
