import type { Asked } from '../../../extension/background/state/asked';
import type { Recording } from '../../../extension/background/record/recorder';
import type { Moment, Origin } from '../../../src/model/units';
import { START } from './engine';

/** What is recorded of a page's requests, instead of registering it. */
export interface Recorded {
  /** The responses, as the recorder takes them. */
  readonly responses: unknown[];
  /** The pages of the responses to own requests. */
  readonly pages: Origin[];
  /** For what registers nothing: where it would have come from, and why not. */
  readonly refused: (readonly [from: string, why: unknown])[];
}

/** All that is used of a recorder and a clock by what observes requests. */
export function newRecording(): { readonly recording: Recording; readonly recorded: Recorded } {
  const recorded: Recorded = { responses: [], pages: [], refused: [] };
  const recorder = {
    response: (response: unknown) => Promise.resolve(recorded.responses.push(response)),
    ownResponse: ({ contextOrigin }: { readonly contextOrigin: Origin }) =>
      Promise.resolve(recorded.pages.push(contextOrigin)),
    refusals: { dropped: (url: string, _asking: unknown, why: unknown) => recorded.refused.push([url, why]) },
  };
  const clock = { at: (time: number) => time as Moment };
  return { recording: Promise.resolve({ clock, recorder }) as unknown as Recording, recorded };
}

/** Of what is asked for before anything is erased. */
export const asked: Asked = { erasures: 0, time: START };
