import type { Weight } from './fonts.ts';
import type { BaseDirection, TextRuns } from './text-runs.ts';

export interface LineBreaking {
  readonly weight: Weight;
  readonly direction: BaseDirection;
  /** In points. */
  readonly size: number;
  readonly width: number;
  readonly maxLines: number;
}

/** Characters of one text that are looked at. */
const MAX_CHARACTERS = 4_000;
const ELLIPSIS = '…';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text in lines that fit a width: broken at spaces, and within words that are wider than a line. */
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
