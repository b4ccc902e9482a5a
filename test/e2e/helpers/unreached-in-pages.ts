import type { Unreached } from './measured';

/** Functions of pages that need not run in `pages-cost.test.ts`, because others cannot make their work grow. */
export const unreached: readonly Unreached[] = [
  {
    why: 'Over a list of the code: settings, kinds, languages or the files of the site',
    functions: [
      'extension/pages/views/options/options.tsx: Files Options isFree',
      'extension/pages/views/workbench/workbench.tsx: Editor',
      'extension/site/frame.tsx: Languages Site',
      'extension/site/languages.ts: languageOf wantedLanguage',
      'extension/site/main.ts: askForView',
      'extension/site/service-worker.ts: answer forgetOlder',
      'extension/site/site.tsx: show',
    ],
  },
  {
    why: 'Each character of one address once',
    functions: [
      'extension/pages/state/inspected-site.ts: look',
      'extension/pages/state/trial-link.ts: invitationIn linkOfPage',
      'extension/pages/views/consent/trial-chooser.tsx: TrialChooser',
    ],
  },
  {
    why: 'Each number, row or byte once, when a person opens, simulates or saves; what reads a file is measured by `costs.test.ts`',
    functions: [
      'extension/pages/data/file-link.ts: packFile pull',
      'extension/pages/simulate/use-runs.ts: start',
      'extension/pages/simulate/worker.ts: run',
      'extension/pages/views/records/share.tsx: file saveScenario',
      'extension/pages/views/workbench/workbench.tsx: saveScenario',
      'extension/site/estimates.tsx: Result outcomeOf',
    ],
  },
];
