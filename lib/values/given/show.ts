import { formatInstant, formatLocalDate, type Instant, type LocalDate } from '../time/index.ts';
import type { AnyShape } from './shape.ts';

/** What a person reads in place of a value: dates and instants as ISO text. Amounts already print as text. */
type Show = (value: unknown) => unknown;

function showerOf(shape: AnyShape): Show {
  const show = nonNullShowerOf(shape);
  return (value) => (value === undefined || value === null ? value : show(value));
}

function nonNullShowerOf(shape: AnyShape): Show {
  if (shape === 'date') return (value) => formatLocalDate(value as LocalDate);
  if (shape === 'instant') return (value) => formatInstant(value as Instant);
  if (typeof shape === 'string') return (value) => value;
  if (Array.isArray(shape)) {
    const each = showerOf(shape[0]);
    return (value) => (value as readonly unknown[]).map(each);
  }
  // Made when first needed, since a shape may contain itself.
  let fields: readonly (readonly [field: string, show: Show])[] | undefined;
  return (value) => {
    fields ??= Object.entries(shape).map(([field, own]) => [field, showerOf(own)] as const);
    const shown: Record<string, unknown> = { ...(value as object) };
    for (const [field, show] of fields) if (field in shown) shown[field] = show(shown[field]);
    return shown;
  };
}

/** Gives a view a `toJSON` that a person can read; null, and a view that already has one, stay as they are. */
export function readableBy(shape: AnyShape): (view: unknown) => void {
  const show = showerOf(shape);
  const toJSON: PropertyDescriptor = {
    value(this: unknown) {
      return show(this);
    },
  };
  return (view) => {
    if (typeof view !== 'object' || view === null || !Object.isExtensible(view) || 'toJSON' in view) return;
    Object.defineProperty(view, 'toJSON', toJSON);
  };
}
