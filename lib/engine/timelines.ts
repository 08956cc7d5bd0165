import { ExportService } from '../export/index.ts';
import { TimelineService } from '../timeline/index.ts';
import type { Foundation } from './foundation.ts';

/** All that has happened to an account, and all that is stored of it. */
export function timelineArea({ ports, catalogs, maxRows }: Foundation) {
  const timelines = new TimelineService(ports, catalogs, maxRows);
  const exports = new ExportService(ports);
  return {
    exportOfAccount: exports.account.bind(exports),
    ofAccount: timelines.ofAccount.bind(timelines),
    outlineOfAccount: timelines.outlineOfAccount.bind(timelines),
  };
}
