import type { DefineCommand } from './io/define';

interface ListedCommand {
  readonly description: string;
  readonly examples: readonly [string, string];
  /** Loads the module, which only this command needs. */
  readonly load: () => Promise<{ readonly define: DefineCommand }>;
}

/** The commands by what people want to do. */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, ListedCommand>>>> = {
  'Look at one registration:': {
    validate: {
      description: 'list every mistake in a registration header',
      examples: ['validate --source header.json', 'validate --trigger - < header.json'],
      load: () => import('./validate/validate'),
    },
    states: {
      description: 'count, decode or encode the states of a source',
      examples: [
        'states source.json --source-type navigation',
        'states source.json --source-type event --decode 1',
      ],
      load: () => import('./states/states'),
    },
    replay: {
      description: 'run scenario files through the engine in virtual time',
      examples: ['replay scenario.json', 'replay scenario.json --browser firefox'],
      load: () => import('./replay/replay'),
    },
  },
  'Collect reports, and estimate from them:': {
    collect: {
      description: 'receive and store reports, and the log of their sources; see docs/collector.md',
      examples: ['collect --demo', 'collect --port 8090 --store ./reports'],
      load: () => import('./collect/collect'),
    },
    estimate: {
      description: 'estimate conversions from noisy reports and a log of sources',
      examples: [
        'estimate --reports reports.ndjson --sources sources.csv --table',
        'estimate --reports reports.ndjson --sources sources.csv --group-by campaign --output estimates.csv',
      ],
      load: () => import('./estimate/estimate'),
    },
    aggregate: {
      description: 'make a summary report from aggregatable reports; see docs/aggregate.md',
      examples: [
        'aggregate --new-key private.json > public.json',
        'aggregate --reports reports.ndjson --keys private.json --buckets buckets.csv',
      ],
      load: () => import('./aggregate/aggregate'),
    },
    reach: {
      description: 'count the people who saw ads, and how often, exactly or with noise; see docs/reach.md',
      examples: [
        'reach --sources sources.ndjson --group-by format',
        'reach --sources sources.ndjson --group-by format --groups formats.csv --by sketch --epsilon 1 --cap 2',
      ],
      load: () => import('./reach/reach'),
    },
  },
  'Simulate many users:': {
    init: {
      description:
        'propose a map for a table of your own, simulate it, and draw the first figure; see docs/maps.md',
      examples: ['init clicks.csv', 'init clicks.csv --output first'],
      load: () => import('./init/init'),
    },
    generate: {
      description: 'generate logs of many users, as input for simulate',
      examples: [
        'generate --users 1000 --output log.ndjson.gz',
        'generate --demo --users 2000 --output log.ndjson',
      ],
      load: () => import('./generate/generate'),
    },
    simulate: {
      description: 'run the logs of many users through the engine, in parallel',
      examples: [
        'simulate --input log.ndjson.gz --output reports.ndjson --sources-output sources.csv --seed 1',
        'simulate compare --input log.ndjson --output credits.csv --channel campaign',
      ],
      load: () => import('./simulate/simulate'),
    },
    experiment: {
      description:
        'simulate a grid of settings many times, and measure the cost of each; see docs/experiments.md',
      examples: ['experiment --example > experiment.json', 'experiment experiment.json --output results'],
      load: () => import('./experiment/experiment'),
    },
    compare: {
      description:
        'rank campaigns, decide budgets and predict conversions from the estimates of each API; see docs/compare.md',
      examples: ['compare --output comparison', 'compare --example > comparison.json'],
      load: () => import('./experiment/compare'),
    },
    shard: {
      description: 'print the shard of users, or split a log into shards',
      examples: ['shard --of 8 ada bob', "shard --of 8 --input log.ndjson.gz --output 'log-{}.ndjson.gz'"],
      load: () => import('./shard/shard'),
    },
    merge: {
      description: 'add up the summaries or statistics of the parts of a log',
      examples: ['merge summary-?.json > summary.json', 'merge statistics-?.json > statistics.json'],
      load: () => import('./merge/merge'),
    },
    notebook: {
      description:
        'write an executable Python notebook for the results of a run in a folder; see docs/python.md',
      examples: ['notebook run', 'notebook results'],
      load: () => import('./notebook/notebook'),
    },
  },
  'Choose settings and noise:': {
    power: {
      description: 'compute how many people a trial needs for an interval, or to see a difference',
      examples: [
        'power --source-type event --epsilon 1 --rate 0.02 --within 0.01',
        'power click.json --source-type navigation --rate 0.02 --best 0.03 --campaigns 8',
      ],
      load: () => import('./power/power'),
    },
    optimize: {
      description: 'find the summary buckets and report windows of trigger_specs with the least loss',
      examples: [
        'optimize --values 0,10,50 --prior 0.9,0.08,0.02 --epsilon 2',
        'optimize --csv past.csv --column value --delay-column delay --windows 3 --for total --json',
      ],
      load: () => import('./optimize/optimize'),
    },
    learn: {
      description: 'measure what noise costs a model that is trained on noisy labels or with noisy gradients',
      examples: ['learn --demo', 'learn --experiment experiment.json --output results'],
      load: () => import('./learn/learn'),
    },
    sample: {
      description:
        'draw from a mechanism and count the outputs; give numbers as decimals or fractions, lists with commas',
      examples: [
        'sample rr --states 3 --epsilon 1 --true 0 --n 1000',
        'sample histogram --by rappor --counts 1,0,0 --epsilon 1.2 --n 10000',
      ],
      load: () => import('./sample/sample'),
    },
    audit: {
      description: 'test every promise about ε on pairs of worlds that differ in one thing',
      examples: ['audit', 'audit --settings settings.json'],
      load: () => import('./audit/audit'),
    },
    attack: {
      description:
        'guess secrets from noisy answers, and compare success with what ε promises; see docs/attacks.md',
      examples: ['attack', 'attack reconstruction --epsilon 1,4,none --seed 1'],
      load: () => import('./attack/attack'),
    },
    trial: {
      description: 'check the configuration of a field trial, and print it with every default filled in',
      examples: ['trial trial.json', 'trial --new-key trial-key.pem'],
      load: () => import('./trial/trial'),
    },
  },
};
