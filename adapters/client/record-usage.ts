import type { UsageReport } from '../../lib/usage/index.ts';
import type { CallOperation } from './call-operation.ts';

const LINES_PER_CALL = 500;

type Lines = AsyncIterable<unknown> | Iterable<unknown>;

/** Records usage lines in several calls. Returns a combined report. */
export async function recordAll(call: CallOperation, lines: Lines, options?: unknown): Promise<UsageReport> {
  let report: UsageReport = {
    received: 0,
    accepted: 0,
    duplicates: 0,
    conflicts: 0,
    rejected: 0,
    failures: [],
    failuresTruncated: false,
  };
  for await (const part of parts(lines)) {
    const added = (await call('usage', 'recordAll', [part, options])) as UsageReport;
    report = {
      received: report.received + added.received,
      accepted: report.accepted + added.accepted,
      duplicates: report.duplicates + added.duplicates,
      conflicts: report.conflicts + added.conflicts,
      rejected: report.rejected + added.rejected,
      failures: [
        ...report.failures,
        ...added.failures.map((line) => ({ ...line, index: line.index + report.received })),
      ],
      failuresTruncated: report.failuresTruncated || added.failuresTruncated,
    };
  }
  return report;
}

async function* parts(lines: Lines): AsyncIterable<readonly unknown[]> {
  let part: unknown[] = [];
  for await (const line of lines) {
    part.push(line);
    if (part.length < LINES_PER_CALL) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
