import { KeyKind, type KeyValues, keyKind, maskedSecrets } from '../tenants/index.ts';

const MASK = '*****';
const secretName = /password|passwd|secret|token|key|credential/i;

/** Properties by name, with the values of those masked whose name tells of a secret (platform §12.6 rule 5). */
export function maskedProperties(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, secretName.test(name) ? MASK : value]),
  );
}

/** The values of a tenant's key: properties by their names, lines of plugins' configurations by theirs, others by the key. */
export function maskedValues({ key, values }: KeyValues): KeyValues {
  switch (keyKind(key)) {
    case KeyKind.CONFIGURATION:
      return { key, values: values.map(maskedJson) };
    case KeyKind.PLUGIN_CONFIGURATION:
      return { key, values: values.map(maskedSecrets) };
    case KeyKind.USER:
      return secretName.test(key) ? { key, values: values.map(() => MASK) } : { key, values };
    default:
      return { key, values };
  }
}

function maskedJson(text: string): string {
  try {
    return JSON.stringify(maskedProperties(JSON.parse(text) as Readonly<Record<string, unknown>>));
  } catch {
    return maskedSecrets(text);
  }
}
