import { responseRates } from '../analysis/estimate/channel';
import { StateMeasures } from '../analysis/estimate/state-measures';
import { chromiumLimits } from '../src/model/limits';
import { epsilon } from '../src/model/units';
import { seededRandomSource } from '../analysis/random/sources';
import { randomizedResponse } from '../src/privacy/randomized-response';
import { parseSource } from '../formats/registration/source';

const RUNS = 25;
const EPSILON = epsilon(3);
/** One source in ten has one conversion, in the first window; each trigger data is equally likely. */
const CONVERSION_RATE = 0.1;

/**
 * Mean squared error of the conversions by trigger data, for default clicks at ε = 3: raw, de-biased, and as theory predicts
 * (docs/estimates.md). The error of raw counts is p·(n·c̄ − t). De-biased counts have the raw variance over (1 − p)².
 */
export function benchEstimates(): void {
  const shape = parseSource({ destination: 'https://shop.example' }, 'navigation', chromiumLimits).value;
  if (shape === null) throw new Error('the default source must be valid');
  const measures = new StateMeasures(shape);
  const measure = measures.measure({ kind: 'trigger-data', triggerData: 0 });
  const { keep } = responseRates(Number(measures.states), EPSILON);
  const respond = randomizedResponse(measures.states, EPSILON);
  const single = singleReports(measures);
  console.log(`conversions by trigger data, default click, ε = ${EPSILON}, p = ${(1 - keep).toFixed(6)}`);
  console.log('  sources   raw RMSE  de-biased RMSE  raw MSE / de-biased MSE   by theory');
  for (const sources of [10_000, 100_000, 400_000]) {
    const converted = Math.round((sources * CONVERSION_RATE) / 8) * 8;
    const truth = converted / 8;
    const errors = { raw: 0, debiased: 0 };
    for (let run = 0; run < RUNS; run++) {
      const random = seededRandomSource(`bench ${sources}`, run);
      const tally = new Map<string, number>();
      for (let source = 0; source < sources; source++) {
        const response = respond(random);
        const state =
          response.kind === 'replaced'
            ? String(response.state)
            : source < converted
              ? (single[source % 8] ?? '0')
              : '0';
        tally.set(state, (tally.get(state) ?? 0) + 1);
      }
      for (let triggerData = 0; triggerData < 8; triggerData++) {
        const sum = measures.measure({ kind: 'trigger-data', triggerData });
        let raw = 0;
        for (const [state, count] of tally) raw += count * sum.adds(state);
        errors.raw += (raw - truth) ** 2;
        errors.debiased += ((raw - sources * (1 - keep) * sum.mean) / keep - truth) ** 2;
      }
    }
    const squares = truth * (1 - measure.mean) ** 2 + (sources - truth) * measure.mean ** 2;
    const variance = (1 - keep) * keep * squares + sources * (1 - keep) * measure.spread;
    const bias = (1 - keep) * (sources * measure.mean - truth);
    const theory = (bias ** 2 + variance) / (variance / keep ** 2);
    const [raw, debiased] = [errors.raw / RUNS / 8, errors.debiased / RUNS / 8];
    console.log(
      [
        String(sources).padStart(9),
        Math.sqrt(raw).toFixed(0).padStart(10),
        Math.sqrt(debiased).toFixed(0).padStart(15),
        (raw / debiased).toPrecision(3).padStart(25),
        theory.toPrecision(3).padStart(11),
      ].join(' '),
    );
  }
}

/** For each trigger data, the state with one report of it in the first window. */
function singleReports(measures: StateMeasures): readonly string[] {
  return Array.from({ length: 8 }, (_, triggerData) => {
    const [own, all, first] = [
      measures.measure({ kind: 'trigger-data', triggerData }),
      measures.measure({ kind: 'conversions' }),
      measures.measure({ kind: 'window', windowEnd: 172_800 }),
    ];
    for (let state = 0n; state < measures.states; state++) {
      const name = String(state);
      if (own.adds(name) === 1 && all.adds(name) === 1 && first.adds(name) === 1) return name;
    }
    throw new Error(`no state has one report of trigger data ${triggerData}`);
  });
}
