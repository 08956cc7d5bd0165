/** The colors of headings and lines on a document, such as `#0a5cff`. */
export interface Accent {
  readonly rule: string;
  /** The heading color, dark enough for text on white (WCAG 2 AA). */
  readonly heading: string;
}

const MIN_CONTRAST = 4.5;
/** The fraction of the brightness that remains after each darkening step. */
const DARKENING = 0.92;

/** Returns the colors of a seller's documents, or null if the seller has no color. */
export function accentOf(color: string | null): Accent | null {
  if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return null;
  let parts = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
  while (contrastWithWhite(parts) < MIN_CONTRAST) parts = parts.map((part) => Math.floor(part * DARKENING));
  const heading = `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  return { rule: color.toLowerCase(), heading };
}

function contrastWithWhite(parts: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
