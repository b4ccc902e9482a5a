import { fileURLToPath } from 'node:url';
import * as tsx from 'tsx/cjs/api';

// A thread begins with nothing of what the main one has loaded, the loader for TypeScript included.
tsx.require(fileURLToPath(new URL('./simulate-worker.ts', import.meta.url)), import.meta.url);
