import type { AnyShape, Shape } from '../given/index.ts';
import type { FieldKind, Fields, RecordOf } from './field.ts';

const shapes: Partial<Readonly<Record<FieldKind, AnyShape>>> = {
  date: 'date',
  instant: 'instant',
  dated: { at: 'instant', date: 'date' },
};

/** Where a described record has dates and instants. */
export function shapeOf<F extends Fields>(fields: F): Shape<RecordOf<F>, 'date' | 'instant'> {
  const found = Object.entries(fields).flatMap(([name, { kind }]) => {
    const shape = shapes[kind];
    return shape === undefined ? [] : [[name, shape]];
  });
  return Object.fromEntries(found) as Shape<RecordOf<F>, 'date' | 'instant'>;
}
