import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';

/*
 * Sends honest reports one after the other: `node honest-client.mjs URL COUNT`, with a report as JSON on standard input. It is a process of its
 * own, so that it waits for no other client. It prints the ids of those that were acknowledged, and the 99th percentile of the times, in ms.
 */

const [url, count] = process.argv.slice(2);
const report = JSON.parse(await text(process.stdin));
const times = [];
const acknowledged = [];
for (let sent = 0; sent < Number(count); sent++) {
  const id = randomUUID();
  const start = performance.now();
  const { status } = await globalThis.fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...report, report_id: id }),
  });
  times.push(performance.now() - start);
  if (status === 200) acknowledged.push(id);
}
times.sort((a, b) => a - b);
process.stdout.write(JSON.stringify({ acknowledged, p99: times[Math.ceil(0.99 * times.length) - 1] }));
