/* Its set-up installs PyTorch and Opacus, which `npm test` does not. */
import '../unit/learn-oracles.test';
