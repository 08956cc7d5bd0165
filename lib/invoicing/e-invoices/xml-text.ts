/** Characters that XML 1.0 does not allow, such as control characters. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Returns multi-line text for XML, or null for empty text. */
export function xmlLines(text: string | null | undefined): string | null {
  const clean = (text ?? '').toWellFormed().replace(/\r\n?/g, '\n').replace(forbidden, '').trim();
  return clean === '' ? null : clean;
}

/** Returns single-line text for XML, or null for empty text. */
export function xmlLine(text: string | null | undefined): string | null {
  return xmlLines(text)?.replace(/\s+/g, ' ') ?? null;
}
