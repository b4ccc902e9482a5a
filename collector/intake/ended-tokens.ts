import type { FastifyInstance } from 'fastify';
import { days } from '../../src/model/units';
import type { CollectorStore } from '../store/store';
import type { TokenKeys } from './token-keys';

/** Which tokens of a period were spent is forgotten once all of them are refused, when the collector starts and each day. */
export function forgetEndedTokens(app: FastifyInstance, store: CollectorStore, keys: TokenKeys): void {
  const forget = (): void => {
    // Later is soon enough.
    store.forgetTokens(keys.ended(Date.now())).catch((error: unknown) => app.log.warn(error));
  };
  const daily = setInterval(forget, days(1)).unref();
  app.addHook('onReady', (done) => {
    forget();
    done();
  });
  app.addHook('preClose', (done) => {
    clearInterval(daily);
    done();
  });
}
