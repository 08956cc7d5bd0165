/** What Stripe's API takes: text, and lists and objects of it. */
export type FormValue = string | FormValue[] | FormObject;
export interface FormObject {
  [key: string]: FormValue;
}

/** Reads `a[b][0]=c` of a form or a query. */
export function readForm(text: string): FormObject {
  const form: FormObject = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.replaceAll(']', '').split('[');
    put(form, [first, ...rest], value);
  }
  return form;
}

function put(into: FormObject, [key = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const isList = /^\d*$/.test(rest[0] ?? '');
  const inner = into[key] ?? (isList ? [] : {});
  into[key] = inner;
  if (Array.isArray(inner)) inner.push(value);
  else if (typeof inner === 'object') put(inner, rest, value);
}

export function textIn(form: FormObject, key: string): string | undefined {
  const value = form[key];
  return typeof value === 'string' ? value : undefined;
}

export function objectIn(form: FormObject, key: string): FormObject {
  const value = form[key];
  return typeof value === 'object' && !Array.isArray(value) ? value : {};
}

export function listIn(form: FormObject, key: string): readonly FormValue[] {
  const value = form[key];
  return Array.isArray(value) ? value : [];
}
