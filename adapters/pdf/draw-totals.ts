import type { PrintableDocument } from '../../lib/ports/index.ts';
import { drawPair, measuredPair } from './draw-pairs.ts';
import type { Sheet } from './sheet.ts';
import { black, gap, stressed, text } from './styles.ts';

type Totalled = Pick<PrintableDocument, 'totals' | 'isLastTotalStressed' | 'accent'>;

const ABOVE_STRESSED = 4;
const BELOW_RULE = 6;

/** Draws the totals on the same page as the last line, unless they are taller than a page. */
export function drawTotals(sheet: Sheet, document: Totalled): void {
  const column = columnOf(sheet);
  const pairs = measuredTotals(sheet, document);
  if (sheet.y + heightOf(pairs) + gap > sheet.bottom) sheet.newPage();
  else sheet.y += gap;
  sheet.structure.open('Table');
  for (const pair of pairs) {
    if (sheet.y + above(pair) + pair.height > sheet.bottom) sheet.newPage();
    if (pair.style === stressed) {
      const color = document.accent?.rule ?? black;
      sheet.rule(sheet.y + ABOVE_STRESSED, column, { thickness: 1.1, color });
    }
    drawPair(sheet, pair, { ...column, top: sheet.y + above(pair) });
    sheet.y += above(pair) + pair.height;
  }
  sheet.structure.close();
}

/** Returns the height that must stay free below the last line. */
export function totalsHeight(sheet: Sheet, document: Totalled): number {
  return heightOf(measuredTotals(sheet, document));
}

function columnOf(sheet: Sheet) {
  const width = Math.max(240, sheet.width / 2);
  return { start: sheet.width - width, width };
}

type Pair = ReturnType<typeof measuredPair>;

function measuredTotals(sheet: Sheet, { totals, isLastTotalStressed }: Totalled): readonly Pair[] {
  const { width } = columnOf(sheet);
  const last = isLastTotalStressed ? totals.at(-1) : undefined;
  return totals.map((total) =>
    measuredPair(sheet, total, { width, style: total === last ? stressed : text }),
  );
}

function heightOf(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, pair) => sum + above(pair) + pair.height, 0);
}

function above({ style }: Pair): number {
  return style === stressed ? ABOVE_STRESSED + BELOW_RULE : 0;
}
