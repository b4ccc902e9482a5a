import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InputFiles } from '../../../cli/io/input-files';
import { trainingFiles } from '../../../cli/learn/training-files';
import { anySource } from '../../../collector/store/source-filter';
import { seeds } from '../helpers/fuzz/parsers';

test('sources of one id have each report once, as in the collector', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-'));
  const sources = path.join(folder, 'sources.ndjson');
  const reports = path.join(folder, 'reports.ndjson');
  const { source_event_id, reporting_origin } = seeds.row;
  const report = { ...seeds.arrived, source_event_id, reporting_origin };
  writeFileSync(sources, `${JSON.stringify(seeds.row)}\n`.repeat(3));
  writeFileSync(reports, `${JSON.stringify(report)}\n`);
  const files = await trainingFiles(new InputFiles([sources]), new InputFiles([reports]), Infinity);
  for await (const some of files.sources(anySource)) expect(await files.reportsOf(some)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});
