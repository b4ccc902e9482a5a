import type { RequestEligibility } from '../announcement';
import { announceRequest } from './announce';
import { defineMethod, replaceMethod } from './methods';
import { eligibilityOf } from './options';

/** The state that `open` starts. */
interface OpenedRequest {
  readonly url: string;
  readonly isAsync: boolean;
  eligibility: RequestEligibility | null;
  /** `waiting`: the page has called `send`, but the browser has not. */
  phase: 'opened' | 'waiting' | 'sent' | 'aborted';
}

type Open = XMLHttpRequest['open'];
type Send = XMLHttpRequest['send'];
type Abort = XMLHttpRequest['abort'];

const requests = new WeakMap<XMLHttpRequest, OpenedRequest>();
const NativeDomException = DOMException;
const NativeProgressEvent = ProgressEvent;

/** Gives `XMLHttpRequest` the method `setAttributionReporting` (ARA, "XMLHttpRequest monkeypatches"). */
export function extendXmlHttpRequest(): void {
  const { prototype } = XMLHttpRequest;
  defineMethod(prototype, 'setAttributionReporting', 1, setAttributionReporting);
  replaceMethod(prototype, 'open', openAndRemember);
  replaceMethod(prototype, 'send', announceAndSend);
  replaceMethod(prototype, 'abort', abortEvenIfWaiting);
}

function setAttributionReporting(this: XMLHttpRequest, options: unknown): void {
  const eligibility = eligibilityOf(options);
  const request = this.readyState === 1 ? requests.get(this) : undefined;
  if (request?.phase !== 'opened') throw invalidState();
  request.eligibility = eligibility;
}

const openAndRemember = (nativeOpen: Open): Open =>
  function (this: XMLHttpRequest, ...args: [string, string | URL, boolean?, string?, string?]) {
    Reflect.apply(nativeOpen, this, args);
    const earlier = requests.get(this);
    if (earlier !== undefined) earlier.phase = 'aborted';
    // An explicit undefined for `async` means false (XHR, "open(method, url, async)").
    const isAsync = args.length < 3 || Boolean(args[2]);
    requests.set(this, { url: String(args[1]), isAsync, eligibility: null, phase: 'opened' });
  };

const announceAndSend = (nativeSend: Send): Send =>
  function (this: XMLHttpRequest, ...args) {
    const sendNow = (): void => {
      Reflect.apply(nativeSend, this, args);
    };
    const request = requests.get(this);
    if (request === undefined || request.phase === 'sent') sendNow();
    else if (request.phase !== 'opened') throw invalidState();
    else if (request.eligibility !== null && request.isAsync)
      void sendAfterWait(request, request.eligibility, sendNow);
    else {
      if (request.eligibility !== null) void announceRequest(request.url, request.eligibility);
      request.phase = 'sent';
      sendNow();
    }
  };

async function sendAfterWait(
  request: OpenedRequest,
  eligibility: RequestEligibility,
  sendNow: () => void,
): Promise<void> {
  request.phase = 'waiting';
  await announceRequest(request.url, eligibility);
  if (isAborted(request)) return;
  request.phase = 'sent';
  sendNow();
}

/** Whether `abort` or another `open` was called during the wait. */
const isAborted = (request: OpenedRequest): boolean => request.phase === 'aborted';

const abortEvenIfWaiting = (nativeAbort: Abort): Abort =>
  function (this: XMLHttpRequest) {
    const request = requests.get(this);
    Reflect.apply(nativeAbort, this, []);
    if (request?.phase !== 'waiting') return;
    request.phase = 'aborted';
    // Pages wait for these events, but the browser has no request to fire them for.
    this.dispatchEvent(new NativeProgressEvent('abort'));
    this.dispatchEvent(new NativeProgressEvent('loadend'));
  };

function invalidState(): DOMException {
  return new NativeDomException('The request is not opened, or is sent already.', 'InvalidStateError');
}
