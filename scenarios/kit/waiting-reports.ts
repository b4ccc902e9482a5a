import type { Overview } from '../../extension/messages';
import type { ReportRow } from './rows';

/** What can be asked of an extension. */
interface Questions {
  overview(): Promise<Overview>;
  reports(): Promise<readonly ReportRow[]>;
}

/** Until when reports wait for the end of their window, and what sends them before; null: none waits. */
export async function waitingReports(ask: Questions): Promise<string | null> {
  const [{ now }, reports] = await Promise.all([ask.overview(), ask.reports()]);
  const times = reports.flatMap(({ attempts, nextAttempt }) =>
    attempts.length === 0 && nextAttempt > now ? [nextAttempt] : [],
  );
  if (times.length === 0) return null;
  const first = new Date(Math.min(...times)).toISOString();
  const who = times.length === 1 ? '1 report waits' : `${times.length} reports wait, the first`;
  return `${who} until ${first}: call extension.advance('next-report') and extension.sendDue(), or extension.deliverAll(), in debug mode`;
}

const running = new Set<Questions>();

/** Lets `waitingInBrowsers` ask the extension. @returns what ends that, once the browser has ended */
export function startAsking(ask: Questions): () => void {
  running.add(ask);
  return () => void running.delete(ask);
}

/** `waitingReports` of each browser with the kit that runs in this process; null: there is no browser. */
export async function waitingInBrowsers(): Promise<readonly string[] | null> {
  if (running.size === 0) return null;
  const found = await Promise.all([...running].map((ask) => waitingReports(ask).catch(() => null)));
  return found.flatMap((text) => text ?? []);
}
