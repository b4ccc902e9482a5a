import {
  addStatistics,
  joining,
  statistics,
  type Statistics,
} from '../../analysis/estimate/result/statistics';
import { isJsonObject, type Json } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import type { DefineCommand } from '../io/define';
import { accept, InputError, readJson } from '../io/input';
import { say } from '../io/terminal';
import { addSummaries, parseSummary, summaryJson, withoutEffect } from '../simulate/summary';

interface Part {
  readonly file: string;
  readonly json: Json;
}

/** `cointoss merge`: adds up what was made from the parts of a log. */
export const define: DefineCommand = (command, { print }) => {
  command
    .argument('<files...>', 'summaries of simulate, or statistics of estimate')
    .action((files: readonly string[]) => {
      const parts = files.map((file) => ({ file, json: readJson(file) }));
      print(
        JSON.stringify(
          parts.some(({ json }) => isStatistics(json)) ? mergedStatistics(parts) : mergedSummaries(parts),
        ),
      );
    });
};

const isStatistics = (json: Json): boolean => isJsonObject(json) && Object.hasOwn(json, 'configurations');

function mergedSummaries(parts: readonly Part[]): Json {
  const whole = addSummaries(parts.map(({ file, json }) => accept(file, parseSummary(json))));
  for (const text of withoutEffect(whole)) say(`warning: ${text}`);
  return summaryJson(whole);
}

function mergedStatistics(parts: readonly Part[]): Json {
  const read = parts.map(({ file, json }) => ({ file, part: accept(file, parse(json, statistics)) }));
  return statistics.write(
    read
      .map(({ file, part }) => {
        refuseOther(file, part, read[0]?.file ?? '', read[0]?.part ?? part);
        return part;
      })
      .reduce(addStatistics),
  );
}

function refuseOther(file: string, part: Statistics, firstFile: string, first: Statistics): void {
  const written = [statistics.write(part), statistics.write(first)];
  for (const name of joining) {
    const [own, other] = written.map((json) => JSON.stringify(json[name]));
    if (own !== other)
      throw new InputError(`${file}: ${name}: must be as in ${firstFile}, ${other ?? ''}, was ${own ?? ''}`);
  }
}
