import type { FastifyReply } from 'fastify';
import { limited } from '../store/database';
import type { Questions } from '../store/questions';
import type { CollectorStore } from '../store/store';

/** How long the whole answer may take. */
const ANSWER_MILLISECONDS = 60_000;

/** Is aborted once nobody waits for the answer. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

/** @throws QuestionStopped */
export const asking = (store: CollectorStore, reply: FastifyReply): Promise<Questions> =>
  store.asking(limited(goneSignal(reply), ANSWER_MILLISECONDS).signal);

/** Large downloads may take long; only each of their statements may not. */
export const downloading = (store: CollectorStore, reply: FastifyReply): Promise<Questions> =>
  store.asking(goneSignal(reply));
