import type { Font } from 'fontkit';

/** Scripts whose letters stand beside each other as they are. */
const plain =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}]*$/u;

const rightToLeftLetter =
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export function hasRightToLeftLetter(text: string): boolean {
  return rightToLeftLetter.test(text);
}

/**
 * The font, which goes through its tables of ligatures, kerning and marks for scripts that need them only: they are nine
 * tenths of the time that a document takes.
 */
export function withQuickLayout(font: Font): Font {
  const layout = (text: string) => {
    if (plain.test(text)) return quickLayout(font, text);
    // Left to itself it would turn round numbers in Arabic digits.
    const direction = hasRightToLeftLetter(text) ? 'rtl' : 'ltr';
    return font.layout(text, [], undefined, undefined, direction);
  };
  return Object.create(font, { layout: { value: layout } });
}

function quickLayout(font: Font, text: string): ReturnType<Font['layout']> {
  const glyphs = Array.from(text, (character) => font.glyphForCodePoint(character.codePointAt(0) ?? 0));
  const positions = glyphs.map(({ advanceWidth }) => ({
    xAdvance: advanceWidth,
    yAdvance: 0,
    xOffset: 0,
    yOffset: 0,
  }));
  const advanceWidth = glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0);
  const none = { script: 'DFLT', language: '', direction: 'ltr', features: {} } as const;
  return { ...none, glyphs, positions, advanceWidth, advanceHeight: 0, bbox: font.bbox };
}
