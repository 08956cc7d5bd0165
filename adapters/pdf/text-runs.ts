import type { Fonts, LoadedFont, Weight } from './fonts.ts';
import type { Packages } from './packages.ts';
import { hasRightToLeftLetter } from './quick-layout.ts';

/** A piece of a line in one font and one direction, as it is written from left to right. */
export interface TextRun {
  readonly text: string;
  readonly font: LoadedFont;
  /** Of the font's 1000 units. */
  readonly width: number;
}

export type BaseDirection = 'ltr' | 'rtl' | 'auto';

/** Marks and controls of direction have had their say once runs are in order, and no font shows them. */
const invisible = /[\p{Cf}\p{Cc}\p{Cs}]/gu;

/** Turns lines of text into what is drawn: in visual order (Unicode's algorithm), each piece in a font that has it. */
export class TextRuns {
  readonly #bidi: Packages['bidi'];
  readonly #fonts: Fonts;
  readonly #runs = new Map<string, readonly TextRun[]>();
  readonly #missing = new Set<string>();

  constructor(bidi: Packages['bidi'], fonts: Fonts) {
    this.#bidi = bidi;
    this.#fonts = fonts;
  }

  /** Characters that were asked for and that no font has. */
  get missingCharacters(): string {
    return [...this.#missing].join('');
  }

  of(text: string, weight: Weight, direction: BaseDirection): readonly TextRun[] {
    const key = `${weight} ${direction} ${text}`;
    const known = this.#runs.get(key);
    if (known !== undefined) return known;
    const runs = this.#ordered(text, direction).flatMap((piece) => this.#inFonts(piece, weight));
    this.#runs.set(key, runs);
    return runs;
  }

  width(text: string, weight: Weight, direction: BaseDirection): number {
    return this.of(text, weight, direction).reduce((sum, run) => sum + run.width, 0);
  }

  /** Pieces of one direction, the leftmost first. */
  #ordered(text: string, direction: BaseDirection): readonly { text: string; isRtl: boolean }[] {
    if (text === '') return [];
    const embedding = this.#bidi.getEmbeddingLevels(text, direction);
    const mirrored = this.#bidi.getMirroredCharactersMap(text, embedding.levels);
    const { levels } = embedding;
    const indices = this.#bidi.getReorderedIndices(text, embedding);
    const pieces: { start: number; end: number; isRtl: boolean }[] = [];
    for (const index of indices) {
      const isRtl = ((levels[index] ?? 0) & 1) === 1;
      const last = pieces.at(-1);
      if (last?.isRtl === isRtl && index === (isRtl ? last.start - 1 : last.end + 1)) {
        last.start = Math.min(last.start, index);
        last.end = Math.max(last.end, index);
      } else pieces.push({ start: index, end: index, isRtl });
    }
    return pieces.map(({ start, end, isRtl }) => {
      let piece = '';
      for (let index = start; index <= end; index += 1) piece += mirrored.get(index) ?? text.charAt(index);
      return { text: piece.replace(invisible, ''), isRtl };
    });
  }

  /** A piece by fonts; what no font has is replaced. */
  #inFonts({ text, isRtl }: { text: string; isRtl: boolean }, weight: Weight): readonly TextRun[] {
    const parts: { text: string; font: LoadedFont }[] = [];
    for (const character of text) {
      const last = parts.at(-1);
      // Spaces and marks stay in the font of what they follow.
      const isNeutral = last?.font.font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0) ?? false;
      const found =
        isNeutral && last && /[\s\p{M}]/u.test(character) ? last.font : this.#fonts.fontOf(character, weight);
      if (found === null) this.#missing.add(character);
      const part = found === null ? this.#fonts.replacement(weight) : { text: character, font: found };
      if (last?.font === part.font) last.text += part.text;
      else parts.push({ ...part });
    }
    if (isRtl) parts.reverse();
    return parts.map(({ text: written, font }) => {
      // A font turns a piece with letters that run from the right by itself; signs alone it would leave as they are.
      const shown = isRtl && !hasRightToLeftLetter(written) ? [...written].reverse().join('') : written;
      const { advanceWidth } = font.font.layout(shown);
      return { text: shown, font, width: (advanceWidth * 1000) / font.font.unitsPerEm };
    });
  }
}
