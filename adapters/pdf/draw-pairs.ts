import type { PrintableFact } from '../../lib/ports/index.ts';
import { type Column, LINE_HEIGHT, type Sheet, type TextStyle } from './sheet.ts';
import { black, gray, small } from './styles.ts';

/** A label and its value, split into lines of a given width. */
interface MeasuredPair {
  readonly names: readonly string[];
  readonly details: readonly string[];
  readonly values: readonly string[];
  readonly style: TextStyle;
  readonly height: number;
}

const GAP_OF_PAIR = 12;
const GAP_BELOW = 3;

/** Measures a label and its value. The label is drawn at the start of the line and the value at its end. */
export function measuredPair(
  sheet: Sheet,
  { label, value, details: smalls = [] }: PrintableFact,
  { width, style }: { readonly width: number; readonly style: TextStyle },
): MeasuredPair {
  const values = sheet.lines(value, width * 0.7, style);
  const taken = Math.max(0, ...values.map((line) => sheet.widthOf(line, style)));
  const names = sheet.lines(label, width - taken - GAP_OF_PAIR, style);
  const details = smalls.flatMap((each) => sheet.lines(each, width - taken - GAP_OF_PAIR, small));
  const lineHeight = style.size * LINE_HEIGHT;
  const ofNames = names.length * lineHeight + details.length * small.size * LINE_HEIGHT;
  const height = Math.max(ofNames, values.length * lineHeight) + GAP_BELOW;
  return { names, details, values, style, height };
}

/** Draws a row of a two-column table. */
export function drawPair(
  sheet: Sheet,
  { names, details, values, style }: MeasuredPair,
  column: Pick<Column, 'start' | 'width'> & { readonly top: number },
): void {
  const named = { ...style, color: style.weight === 'bold' ? black : gray };
  const { structure } = sheet;
  structure.open('TR');
  structure.content(
    'TH',
    () => {
      const height = sheet.draw(names, { ...column, align: 'start' }, named);
      sheet.draw(details, { ...column, top: column.top + height, align: 'start' }, small);
    },
    { scope: 'Row' },
  );
  structure.content('TD', () => sheet.draw(values, { ...column, align: 'end' }, style));
  structure.close();
}

/** Draws the pairs one below the other. @returns their total height. */
export function drawPairs(
  sheet: Sheet,
  facts: readonly PrintableFact[],
  { top, start, width, style }: Pick<Column, 'start' | 'width'> & { top: number; style: TextStyle },
): number {
  let y = top;
  sheet.structure.open('Table');
  for (const fact of facts) {
    const pair = measuredPair(sheet, fact, { width, style });
    drawPair(sheet, pair, { top: y, start, width });
    y += pair.height;
  }
  sheet.structure.close();
  return y - top;
}
