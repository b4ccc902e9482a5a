/** How parameters follow gradients. */
export type OptimiserKind = 'sgd' | 'rmsprop' | 'adam' | 'yogi';

export type Step = (gradient: Float32Array, rate: number) => void;

const MOMENTUM = 0.9;
const FIRST = 0.9;
const SECOND = 0.999;
const RMSPROP_DECAY = 0.99;

/**
 * SGD with momentum 0.9; RMSprop (Tieleman & Hinton 2012) with decay 0.99; Adam (Kingma & Ba 2015) and Yogi (Zaheer et al. 2018) with decays 0.9
 * and 0.999. The ε in the denominators is 1e-8, for Yogi 1e-3.
 * @returns changes `parameters` by one step.
 */
export function optimiser(kind: OptimiserKind, parameters: Float32Array): Step {
  switch (kind) {
    case 'sgd':
      return momentum(parameters);
    case 'rmsprop':
      return rmsprop(parameters);
    case 'adam':
      return moments(parameters, 1e-8, (second, square) => SECOND * second + (1 - SECOND) * square);
    case 'yogi':
      return moments(
        parameters,
        1e-3,
        (second, square) => second - (1 - SECOND) * Math.sign(second - square) * square,
      );
  }
}

function momentum(parameters: Float32Array): Step {
  const velocity = new Float32Array(parameters.length);
  return (gradient, rate) => {
    for (let i = 0; i < parameters.length; i++) {
      const speed = MOMENTUM * (velocity[i] ?? 0) + (gradient[i] ?? 0);
      velocity[i] = speed;
      parameters[i] = (parameters[i] ?? 0) - rate * speed;
    }
  };
}

function rmsprop(parameters: Float32Array): Step {
  const squares = new Float32Array(parameters.length);
  return (gradient, rate) => {
    for (let i = 0; i < parameters.length; i++) {
      const slope = gradient[i] ?? 0;
      const square = RMSPROP_DECAY * (squares[i] ?? 0) + (1 - RMSPROP_DECAY) * slope * slope;
      squares[i] = square;
      parameters[i] = (parameters[i] ?? 0) - (rate * slope) / (Math.sqrt(square) + 1e-8);
    }
  };
}

function moments(
  parameters: Float32Array,
  least: number,
  nextSecond: (second: number, square: number) => number,
): Step {
  const firsts = new Float32Array(parameters.length);
  const seconds = new Float32Array(parameters.length);
  let steps = 0;
  return (gradient, rate) => {
    steps += 1;
    const firstScale = 1 / (1 - FIRST ** steps);
    const secondScale = 1 / (1 - SECOND ** steps);
    for (let i = 0; i < parameters.length; i++) {
      const slope = gradient[i] ?? 0;
      const first = FIRST * (firsts[i] ?? 0) + (1 - FIRST) * slope;
      const second = nextSecond(seconds[i] ?? 0, slope * slope);
      firsts[i] = first;
      seconds[i] = second;
      parameters[i] =
        (parameters[i] ?? 0) - (rate * firstScale * first) / (Math.sqrt(secondScale * second) + least);
    }
  };
}

/** From `rate` to 0 along half a cosine (Loshchilov & Hutter 2017). */
export const cosineDecay = (rate: number, step: number, steps: number): number =>
  (rate / 2) * (1 + Math.cos((Math.PI * step) / steps));
