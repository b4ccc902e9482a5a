/* Its set-up installs PyTorch and Opacus, which `npm test` does not. */
import '../unit/analysis/learn-oracles.test';
