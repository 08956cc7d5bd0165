import type { PrintableDocument } from '../../lib/ports/index.ts';
import { drawPairs } from './draw-pairs.ts';
import { drawTable } from './draw-table.ts';
import { drawTotals } from './draw-totals.ts';
import { type Column, LINE_HEIGHT, type OpenedImage, type Sheet, type TextStyle } from './sheet.ts';
import { gap, gray, label, lightGray, own, party, text } from './styles.ts';

export async function drawDocument(
  sheet: Sheet,
  document: PrintableDocument,
  logo: OpenedImage | null,
): Promise<void> {
  sheet.newPage();
  drawHead(sheet, document, logo);
  drawFacts(sheet, document);
  await drawTable(sheet, document);
  drawTotals(sheet, document);
  drawPayment(sheet, document);
  for (const note of document.notes) drawText(sheet, note, { ...own, maxLines: 40 });
  drawText(sheet, document.footer, { ...label, direction: 'auto', maxLines: 40, isRuled: true });
}

const LOGO = { width: 160, height: 42 };
const BELOW_BLOCK = 20;

/**
 * Draws the heading and the status on the left, and the logo and the sender on the right. In right-to-left documents,
 * the sides are swapped.
 */
function drawHead(
  sheet: Sheet,
  { heading, status, sender, accent }: PrintableDocument,
  logo: OpenedImage | null,
): void {
  const half = (sheet.width - gap) / 2;
  const left: Column = { start: 0, width: half, align: 'start' };
  const top = sheet.y;
  const title: TextStyle = { size: 21, weight: 'bold', maxLines: 3, ...colorOf(accent?.heading) };
  const titles = sheet.lines(heading, half, title);
  let height = sheet.structure.content('H1', () => sheet.draw(titles, { ...left, top }, title));
  if (status !== null) height += drawStatus(sheet, status, top + height + 6) + 6;
  let y = top + 6;
  if (logo !== null) {
    const column: Column = { start: sheet.width - LOGO.width, width: LOGO.width, align: 'end' };
    y = top + sheet.image(logo, { ...column, top }, LOGO.height) + 8;
  }
  y += drawParagraphs(sheet, sender, { start: half + gap, width: half, align: 'end', top: y });
  sheet.y = Math.max(top + height, y) + BELOW_BLOCK;
}

function colorOf(color: string | undefined): Pick<TextStyle, 'color'> {
  return color === undefined ? {} : { color };
}

/** Draws the sender. The first line is the name of the sender. @returns the height. */
function drawParagraphs(
  sheet: Sheet,
  [first = null, ...others]: readonly (string | null)[],
  { top, ...column }: Column & { readonly top: number },
): number {
  const name: TextStyle = { ...party, weight: 'bold' };
  const names = sheet.lines(first, column.width, name);
  const rest = others.flatMap((line) => sheet.lines(line, column.width, party));
  if (names.length === 0) return 0;
  return sheet.structure.content('P', () => {
    const height = sheet.draw(names, { ...column, top }, name);
    return height + sheet.draw(rest, { ...column, top: top + height }, party);
  });
}

function drawStatus(
  sheet: Sheet,
  { text: words, isGood }: NonNullable<PrintableDocument['status']>,
  y: number,
): number {
  const color = isGood ? '#146c3a' : '#9a3412';
  const style: TextStyle = { size: 8.5, weight: 'bold', color, maxLines: 1 };
  const [line = ''] = sheet.lines(words, sheet.width / 3, style);
  const width = sheet.widthOf(line, style) + 18;
  sheet.frame(y, { start: 0.5, width }, { height: 17, color });
  sheet.structure.content('P', () =>
    sheet.draw([line], { top: y + 2.6, start: 9.5, width: width - 18, align: 'start' }, style),
  );
  return 17;
}

/** Draws the addressee on the left and the facts on the right. In right-to-left documents, the sides are swapped. */
function drawFacts(sheet: Sheet, { addressee, facts }: PrintableDocument): void {
  const half = (sheet.width - gap) / 2;
  const lines = (addressee?.lines ?? []).flatMap((line) => sheet.lines(line, half, party));
  const expected = (lines.length + 1) * party.size * LINE_HEIGHT;
  if (sheet.y + expected > sheet.bottom) sheet.newPage();
  const top = sheet.y;
  let height = 0;
  if (addressee !== null) {
    const column: Column = { start: 0, width: half, align: 'start' };
    const labels = sheet.lines(addressee.label, half, label);
    height += sheet.structure.content('P', () => sheet.draw(labels, { ...column, top }, label)) + 2;
    const below = { ...column, top: top + height };
    height += sheet.structure.content('P', () => sheet.draw(lines, below, party));
  }
  const factHeight = drawPairs(sheet, facts, { top, start: half + gap, width: half, style: text });
  sheet.y = top + Math.max(height, factHeight) + BELOW_BLOCK;
}

/** Draws the payment instructions as a table with two columns. */
function drawPayment(sheet: Sheet, { payment, accent }: PrintableDocument): void {
  if (payment === null) return;
  const title: TextStyle = { ...text, weight: 'bold', maxLines: 2, ...colorOf(accent?.heading) };
  const titles = sheet.lines(payment.heading, sheet.width, title);
  const named: TextStyle = { ...text, color: gray };
  const widest = Math.max(...payment.facts.map((fact) => sheet.widthOf(fact.label, named)));
  const width = Math.min(Math.ceil(widest) + 1, sheet.width / 3);
  const start = width + gap;
  const rows = payment.facts.map((fact) => ({
    names: sheet.lines(fact.label, width, named),
    values: sheet.lines(fact.value, sheet.width - start, party),
  }));
  const rowHeight = (row: (typeof rows)[number]) =>
    Math.max(row.names.length, row.values.length) * text.size * LINE_HEIGHT + 2;
  const height = rows.reduce((sum, row) => sum + rowHeight(row), titles.length * text.size * LINE_HEIGHT + 3);
  startOf(sheet, height + gap);
  const { structure } = sheet;
  const place = { start: 0, width: sheet.width, align: 'start' } as const;
  sheet.y += structure.content('H2', () => sheet.draw(titles, { ...place, top: sheet.y }, title)) + 3;
  structure.open('Table');
  for (const row of rows) {
    const top = sheet.y;
    structure.open('TR');
    structure.content('TH', () => sheet.draw(row.names, { ...place, top, width }, named), { scope: 'Row' });
    structure.content('TD', () =>
      sheet.draw(row.values, { top, start, width: sheet.width - start, align: 'start' }, party),
    );
    structure.close();
    sheet.y += rowHeight(row);
  }
  structure.close();
}

/** Starts a new page if the height does not fit on the current page. Otherwise adds a gap. */
function startOf(sheet: Sheet, height: number): void {
  if (sheet.y + height > sheet.bottom) sheet.newPage();
  else sheet.y += gap;
}

function drawText(
  sheet: Sheet,
  words: string | null,
  { isRuled = false, ...style }: TextStyle & { readonly isRuled?: boolean },
): void {
  const lines = sheet.lines(words, sheet.width, style);
  if (lines.length === 0) return;
  const above = isRuled ? 9 : 0;
  startOf(sheet, lines.length * style.size * LINE_HEIGHT + above + gap);
  if (isRuled) sheet.rule(sheet.y, { start: 0, width: sheet.width }, { thickness: 0.6, color: lightGray });
  sheet.y += above;
  const place = { top: sheet.y, start: 0, width: sheet.width, align: 'start' } as const;
  sheet.y += sheet.structure.content('P', () => sheet.draw(lines, place, style));
}
