const SECRET_PREFIX = 'whsec_';

/** The secret of these bytes in the form given to receivers (platform §10.3): `whsec_<base64>`. */
export function secretText(bytes: Uint8Array): string {
  return SECRET_PREFIX + btoa(String.fromCharCode(...bytes));
}
