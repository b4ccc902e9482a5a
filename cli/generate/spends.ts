import { sync } from '../../node/files';
import { addOwnLine, readOwnLines } from '../../node/own-lines';
import { basicComposition } from '../../analysis/noise/composition';
import { boolean, integer, string } from '../../formats/codec/codec';
import { parse } from '../../formats/codec/issues';
import { record, required } from '../../formats/codec/record';
import type { Json } from '../../src/model/json';
import { Rational } from '../../src/privacy/rational';
import { accept, InputError } from '../io/input';
import { writing } from '../io/output';
import { tell } from '../io/terminal';

/** What one synthetic log spent of each person whom the true log is about. */
export interface Spend {
  /** A decimal or a fraction. */
  readonly epsilon: string;
  readonly mostJourneys: number;
  /** Whoever knows the seed can remove the noise. */
  readonly isSeeded: boolean;
}

const spend = record<Spend>({
  epsilon: required('epsilon', string),
  mostJourneys: required('most_journeys', integer(1)),
  isSeeded: required('seeded', boolean),
});

/**
 * Adds a line to the ledger of a log, before any noise is drawn, and says what the log has spent in all.
 * @throws InputError
 */
export function spendOfLog(file: string, added: Spend): void {
  const before = writing(file, () => readOwnLines(file)).map((line, index) =>
    spendIn(`${file}: line ${index + 1}`, line),
  );
  const epsilons = [...before, added].map(({ epsilon }, index) => {
    const exact = Rational.parse(epsilon);
    if (exact !== null) return exact;
    throw new InputError(`${file}: line ${index + 1}: epsilon: must be a number, was "${epsilon}"`);
  });
  writing(file, () => {
    addOwnLine(file, JSON.stringify(spend.write(added)));
    sync(file);
  });
  const whole = basicComposition(epsilons);
  const all = before.length === 0 ? '' : `; ${before.length + 1} synthetic logs together ${whole.toNumber()}`;
  tell([`ε for each person: ${Rational.of(added.epsilon).toNumber()}${all} (${file})`]);
  if (added.isSeeded) tell(['the noise comes from --seed: whoever knows it can remove the noise']);
}

/** @throws InputError */
function spendIn(place: string, line: string): Spend {
  let json: Json;
  try {
    json = JSON.parse(line) as Json;
  } catch {
    throw new InputError(`${place}: must be JSON`);
  }
  return accept(place, parse(json, spend));
}
