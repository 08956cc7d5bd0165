import type { Uuid } from './uuid.ts';

/** The id that a name always has among those of `namespace`: a version 5 UUID (RFC 9562 §5.5). */
export async function namedUuid(namespace: Uuid, name: string): Promise<Uuid> {
  const bytes = [...bytesOf(namespace), ...new TextEncoder().encode(name)];
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-1', Uint8Array.from(bytes)));
  const hex = Array.from(digest.subarray(0, 16), (byte, index) =>
    marked(byte, index).toString(16).padStart(2, '0'),
  ).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as Uuid;
}

/** The byte with the bits of version and variant that belong into its place. */
function marked(byte: number, index: number): number {
  if (index === 6) return (byte & 0x0f) | 0x50;
  return index === 8 ? (byte & 0x3f) | 0x80 : byte;
}

function bytesOf(id: Uuid): readonly number[] {
  return Array.from(id.replaceAll('-', '').matchAll(/../g), ([pair]) => Number.parseInt(pair, 16));
}
