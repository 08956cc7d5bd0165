import { TimelineService } from '../timeline/service.ts';
import type { Foundation } from './foundation.ts';

/** All that has happened to an account, in one answer. */
export function timelineArea({ ports, catalogs, maxRows }: Foundation) {
  const timelines = new TimelineService(ports, catalogs, maxRows);
  return {
    ofAccount: timelines.ofAccount.bind(timelines),
    outlineOfAccount: timelines.outlineOfAccount.bind(timelines),
  };
}
