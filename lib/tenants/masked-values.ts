import {
  isSecretName,
  maskNamedValue,
  maskSecretShapes,
  maskWords,
  SECRET_MASK,
  secretNameEnd,
} from '../values/text/index.ts';
import type { KeyValues } from './key-value-operations.ts';
import { KeyKind, keyKind } from './system-keys.ts';

const separator = /[=:>]/;

/** Properties by name, with secrets in their values masked (platform §6.3 rule 3). */
export function maskedProperties(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, maskedProperty(name, value)]),
  );
}

function maskedProperty(name: string, value: unknown): unknown {
  if (typeof value === 'string') return maskNamedValue(name, value);
  if (isSecretName(name)) return SECRET_MASK;
  return Array.isArray(value) ? value.map((each) => maskedProperty(name, each)) : value;
}

/**
 * The values of a tenant's key, with secrets masked: properties by their names, a plugin's configuration by line, the
 * tenant's own values by their key, and each by its shape. Catalogs, texts and other documents stay as they are.
 */
export function maskedValues({ key, values }: KeyValues): KeyValues {
  switch (keyKind(key)) {
    case KeyKind.CONFIGURATION:
      return { key, values: values.map(maskedJson) };
    case KeyKind.PLUGIN_CONFIGURATION:
      return { key, values: values.map(maskedLines) };
    case KeyKind.CALLBACK:
    case KeyKind.USER:
      return { key, values: values.map((value) => maskNamedValue(key, value)) };
    default:
      return { key, values };
  }
}

function maskedJson(text: string): string {
  try {
    return JSON.stringify(maskedProperties(JSON.parse(text) as Readonly<Record<string, unknown>>));
  } catch {
    return maskedLines(text);
  }
}

/**
 * A plugin's configuration with its secrets masked. In a line that names a password, secret, token, key or credential, the
 * rest after the name is masked. So are the following lines with a deeper indent: in YAML they are its value, elsewhere
 * they may be. In other lines each word is masked whose shape is that of a secret.
 */
export function maskedLines(text: string): string {
  const shown: string[] = [];
  let maskedBeyond = Number.POSITIVE_INFINITY;
  for (const line of maskSecretShapes(text).split('\n')) {
    const indent = line.search(/\S/);
    if (indent > maskedBeyond) shown.push(line.slice(0, indent) + SECRET_MASK);
    else {
      const valueAt = secretAt(line);
      if (indent >= 0) maskedBeyond = valueAt === null ? Number.POSITIVE_INFINITY : indent;
      shown.push(valueAt === null ? maskWords(line) : maskedFrom(line, valueAt));
    }
  }
  return shown.join('\n');
}

/** Where the value of a secret begins in a line; null if the line names no secret. */
function secretAt(line: string): number | null {
  const from = secretNameEnd(line);
  if (from === null) return null;
  const between = line.slice(from).search(separator);
  return between < 0 ? null : from + between + 1;
}

function maskedFrom(line: string, valueAt: number): string {
  const blanks = line.slice(valueAt).search(/\S/);
  if (blanks < 0) return line;
  return maskWords(line.slice(0, valueAt + blanks)) + SECRET_MASK;
}
