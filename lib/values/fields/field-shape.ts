import type { AnyShape, Shape, ValueKind } from '../host-values/index.ts';
import type { FieldKind, Fields, InputOf, RecordOf } from './field.ts';

type ShapesByKind = Partial<Readonly<Record<FieldKind, AnyShape>>>;

const datesByKind: ShapesByKind = {
  date: 'date',
  instant: 'instant',
  dated: { at: 'instant', date: 'date' },
};
const valuesByKind: ShapesByKind = { ...datesByKind, id: 'uuid', amount: 'amount' };

/** Returns the dates and instants of a described record. */
export function shapeOf<F extends Fields>(fields: F): Shape<RecordOf<F>, 'date' | 'instant'> {
  return shapesIn(Object.entries(fields), datesByKind) as Shape<RecordOf<F>, 'date' | 'instant'>;
}

/** Returns the ids, dates, instants and amounts among the fields that callers may set. */
export function inputShapeOf<F extends Fields>(fields: F): Shape<InputOf<F>, ValueKind> {
  const settable = Object.entries(fields).filter(([, { set }]) => set !== 'never');
  return shapesIn(settable, valuesByKind) as Shape<InputOf<F>, ValueKind>;
}

function shapesIn(fields: readonly [string, Fields[string]][], byKind: ShapesByKind): object {
  const found = fields.flatMap(([name, { kind }]) => {
    const shape = byKind[kind];
    return shape === undefined ? [] : [[name, shape]];
  });
  return Object.fromEntries(found);
}
