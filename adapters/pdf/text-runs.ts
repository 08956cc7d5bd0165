import { type Fonts, hasRightToLeftLetter, type LoadedFont, type Packages, type Weight } from './fonts.ts';

/** A part of a line that has one font and one direction. Runs are in visual order. */
export interface TextRun {
  readonly text: string;
  readonly font: LoadedFont;
  /** Width in thousandths of the font size. */
  readonly width: number;
}

export type BaseDirection = 'ltr' | 'rtl' | 'auto';

/** Characters that control the direction of text. They are removed once the text is in visual order. */
const invisible = /[\p{Cf}\p{Cc}\p{Cs}]/gu;

/** Splits lines into runs by font, in the visual order that the Unicode bidirectional algorithm defines. */
export class TextRuns {
  readonly #bidi: Packages['bidi'];
  readonly #fonts: Fonts;
  readonly #runs = new Map<string, readonly TextRun[]>();
  readonly #missing = new Set<string>();

  constructor(bidi: Packages['bidi'], fonts: Fonts) {
    this.#bidi = bidi;
    this.#fonts = fonts;
  }

  /** Characters that no font contains. */
  get missingCharacters(): string {
    return [...this.#missing].join('');
  }

  of(text: string, weight: Weight, direction: BaseDirection): readonly TextRun[] {
    const key = `${weight} ${direction} ${text}`;
    const known = this.#runs.get(key);
    if (known !== undefined) return known;
    const runs = this.#splitByDirection(text, direction).flatMap((piece) => this.#inFonts(piece, weight));
    this.#runs.set(key, runs);
    return runs;
  }

  width(text: string, weight: Weight, direction: BaseDirection): number {
    return this.of(text, weight, direction).reduce((sum, run) => sum + run.width, 0);
  }

  /** Splits a line into parts that each have one direction. The parts are ordered from left to right. */
  #splitByDirection(text: string, direction: BaseDirection): readonly { text: string; isRtl: boolean }[] {
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

  /** Splits the text into runs by font. Characters that no font contains are replaced. */
  #inFonts({ text, isRtl }: { text: string; isRtl: boolean }, weight: Weight): readonly TextRun[] {
    const parts: { text: string; font: LoadedFont }[] = [];
    for (const character of text) {
      const last = parts.at(-1);
      // Spaces and marks use the font of the previous character.
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
      // fontkit reorders right-to-left text by itself, but only if the text contains letters.
      const shown = isRtl && !hasRightToLeftLetter(written) ? [...written].reverse().join('') : written;
      const { advanceWidth } = font.font.layout(shown);
      return { text: shown, font, width: (advanceWidth * 1000) / font.font.unitsPerEm };
    });
  }
}

interface LineBreaking {
  readonly weight: Weight;
  readonly direction: BaseDirection;
  /** Font size in points. */
  readonly size: number;
  readonly width: number;
  readonly maxLines: number;
}

/** Maximum number of characters processed per string. */
const MAX_CHARACTERS = 4_000;
const ELLIPSIS = '…';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Splits text into lines that fit a width. Breaks lines at spaces, and inside a word only if the word is wider than a
 * line.
 */
export function linesOf(runs: TextRuns, text: string, breaking: LineBreaking): readonly string[] {
  const { weight, direction, size, width, maxLines } = breaking;
  const widthOf = (part: string) => (runs.width(part, weight, direction) * size) / 1000;
  const lines: string[] = [];
  const isCut = text.length > MAX_CHARACTERS;
  for (const paragraph of text.slice(0, MAX_CHARACTERS).split(/\r\n?|[\n\u2028\u2029]/)) {
    if (lines.length > maxLines) break;
    lines.push(...brokenParagraph(paragraph, { widthOf, width, maxLines }));
  }
  if (lines.length <= maxLines && !isCut) return lines;
  const kept = lines.slice(0, maxLines);
  return [...kept.slice(0, -1), `${kept.at(-1) ?? ''}${ELLIPSIS}`];
}

interface Measured {
  readonly widthOf: (part: string) => number;
  readonly width: number;
  readonly maxLines: number;
}

function brokenParagraph(text: string, { widthOf, width, maxLines }: Measured): readonly string[] {
  if (widthOf(text) <= width) return [text.trim()];
  const space = widthOf(' ');
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of text.split(/[ \t]+/)) {
    const wide = widthOf(word);
    if (line !== '' && used + space + wide <= width) {
      line += ` ${word}`;
      used += space + wide;
      continue;
    }
    if (line !== '') lines.push(line);
    const parts = wide <= width ? [word] : brokenWord(word, widthOf, width);
    lines.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? '';
    used = widthOf(line);
    if (lines.length > maxLines) return lines;
  }
  return [...lines, line].filter((each) => each !== '');
}

function brokenWord(word: string, widthOf: (part: string) => number, width: number): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const { segment } of graphemes.segment(word)) {
    const wide = widthOf(segment);
    if (part !== '' && used + wide > width) {
      parts.push(part);
      part = '';
      used = 0;
    }
    part += segment;
    used += wide;
  }
  return [...parts, part];
}
