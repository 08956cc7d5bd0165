import { f, type RecordOf } from '../../values/fields/index.ts';

/** Counted figures of a tenant, such as those of a month (reports §2). They are counted again when they are stale. */
export const keptFiguresFields = {
  name: f.text(),
  /** The last complete figures. Null before the first count has ended. */
  figures: f.orNull(f.json<unknown>()),
  /** System time at which the count of `figures` began. Null before the first count has ended. */
  countedAt: f.orNull(f.instant()),
  /** The figures and the position of a count that has not ended; null between counts. */
  progress: f.orNull(f.json<unknown>()),
};
export interface KeptFigures extends RecordOf<typeof keptFiguresFields> {}
