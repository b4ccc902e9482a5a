import type { Json } from '../../src/model/json';

/** The experiment of `cointoss learn --demo`: the comparisons of the literature on a small made-up log. */
export const demoExperiment: Json = {
  seed: 'demo',
  seeds: 3,
  users: 20000,
  training: { rate: [0.01, 0.03] },
  private_training: { batch: 4096, epochs: 16, rate: [0.15, 0.3, 1, 3] },
  label_share: [0, 0.6, 0.8, 1],
  figures: [
    {
      title: 'Label noise by privacy unit, at the best cap',
      line: 'unit',
      methods: ['rr'],
      units: ['impression', 'user-advertiser', 'user-publisher', 'user'],
      caps: [1, 2, 4],
      epsilons: [1, 3, 8],
    },
    {
      title: 'Label noise by user: the cap',
      line: 'cap',
      methods: ['rr'],
      units: ['user'],
      caps: [1, 2, 4, 10],
      epsilons: [1, 4, 16, 50],
    },
    {
      title: 'Sensitive features: labels only, gradients, or both',
      line: 'method',
      methods: ['rr', 'dp-sgd', 'hybrid'],
      features: 'known',
      epsilons: [1, 3, 5, 10],
    },
    {
      title: 'Label privacy with all features known: mechanisms',
      line: 'method',
      methods: ['rr', 'rr-with-prior', 'label-sums'],
      epsilons: [0.5, 1, 2, 4],
    },
    {
      title: 'De-biased and plain labels',
      line: 'debiased',
      methods: ['rr'],
      debiased: [true, false],
      epsilons: [1, 2, 4],
    },
    {
      title: 'What a conversion is worth: bins or unbiased',
      line: 'method',
      label: 'value',
      examples: 'conversions',
      loss: 'poisson',
      methods: ['rr-on-bins', 'unbiased'],
      debiased: [false],
      prior: 'split-budget',
      epsilons: [2, 4, 6, 8],
    },
    {
      title: 'A network instead of logistic regression, plain labels',
      line: 'method',
      methods: ['rr'],
      model: 'network',
      debiased: [false],
      epsilons: [2, 4],
    },
  ],
};
