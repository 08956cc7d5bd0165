import type { PrintableDocument, PrintableFact, PrintableLine } from '../../lib/ports/index.ts';
import { type Column, LINE_HEIGHT, type Place, type Sheet, type TextStyle } from './sheet.ts';

const gray = '#565d66';
const black = '#1a1d21';
const text: TextStyle = { size: 9.5 };
const label: TextStyle = { size: 8.5, color: gray };
/** Texts of tenants and customers have their own direction. */
const own: TextStyle = { ...text, direction: 'auto' };
const stressed: TextStyle = { size: 12.5, weight: 'bold' };

const gap = 18;

export async function drawDocument(sheet: Sheet, document: PrintableDocument): Promise<void> {
  sheet.newPage();
  drawHead(sheet, document);
  drawFacts(sheet, document);
  await drawTable(sheet, document);
  drawTotals(sheet, document);
  drawText(sheet, document.note, { ...own, maxLines: 40 });
  drawText(sheet, document.footer, { ...label, direction: 'auto', maxLines: 40, isRuled: true });
}

/** Draws heading and status at the start, the sender at the end. */
function drawHead(sheet: Sheet, { heading, status, sender }: PrintableDocument): void {
  const half = (sheet.width - gap) / 2;
  const left: Column = { start: 0, width: half, align: 'start' };
  const top = sheet.y;
  const title: TextStyle = { size: 21, weight: 'bold', maxLines: 3 };
  let height = sheet.draw(sheet.lines(heading, half, title), { ...left, top }, title);
  if (status !== null) height += drawStatus(sheet, status, top + height + 6) + 6;
  const right: Column = { start: half + gap, width: half, align: 'end' };
  const name: TextStyle = { ...own, weight: 'bold' };
  const first = sheet.draw(sheet.lines(sender[0] ?? null, half, name), { ...right, top: top + 6 }, name);
  const rest = sender.slice(1).flatMap((line) => sheet.lines(line, half, own));
  const others = sheet.draw(rest, { ...right, top: top + 6 + first }, own);
  sheet.y = top + Math.max(height, first + others + 6) + 26;
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
  sheet.draw([line], { top: y + 2.6, start: 9.5, width: width - 18, align: 'start' }, style);
  return 17;
}

/** Draws the addressee at the start, facts at the end. */
function drawFacts(sheet: Sheet, { addressee, facts }: PrintableDocument): void {
  const half = (sheet.width - gap) / 2;
  const top = sheet.y;
  let height = 0;
  if (addressee !== null) {
    const column: Column = { start: 0, width: half, align: 'start' };
    height += sheet.draw(sheet.lines(addressee.label, half, label), { ...column, top }, label) + 2;
    height += sheet.draw(
      addressee.lines.flatMap((line) => sheet.lines(line, half, own)),
      { ...column, top: top + height },
      own,
    );
  }
  const factHeight = drawPairs(sheet, facts, { top, start: half + gap, width: half, style: text });
  sheet.y = top + Math.max(height, factHeight) + 26;
}

/** Draws labels at the start and values at the end of each line. */
function drawPairs(
  sheet: Sheet,
  pairs: readonly PrintableFact[],
  { top, start, width, style }: Omit<Place, 'align'> & { readonly style: TextStyle },
): number {
  let y = top;
  for (const pair of pairs) {
    const values = sheet.lines(pair.value, width * 0.7, style);
    const taken = Math.max(0, ...values.map((line) => sheet.widthOf(line, style)));
    const named = { ...style, color: style.weight === 'bold' ? black : gray };
    const names = sheet.lines(pair.label, width - taken - 12, named);
    sheet.draw(names, { top: y, start, width, align: 'start' }, named);
    sheet.draw(values, { top: y, start, width, align: 'end' }, style);
    y += Math.max(names.length, values.length) * style.size * LINE_HEIGHT + 3;
  }
  return y - top;
}

type Columns = Readonly<Record<'name' | 'period' | 'amount', Column>>;

async function drawTable(sheet: Sheet, document: PrintableDocument): Promise<void> {
  const columns = await columnsOf(sheet, document);
  const head = () => drawTableHead(sheet, document, columns);
  head();
  const empty = { name: document.noLines, detail: null, period: null, amount: '' };
  if (document.lines.length === 0) drawRow(sheet, empty, { columns, head, below: 0 });
  const last = document.lines.at(-1);
  for (const line of document.lines) {
    // Totals never start a page without lines.
    const below = line === last ? totalsHeight(document) + gap : 0;
    drawRow(sheet, line, { columns, head, below });
    await sheet.turn();
  }
}

/** Returns columns for amounts and periods as wide as needed, within limits; names get the rest. */
async function columnsOf(sheet: Sheet, { columns, lines }: PrintableDocument): Promise<Columns> {
  const { width } = sheet;
  let amount = sheet.widthOf(columns.amount, label);
  let period = sheet.widthOf(columns.period, label);
  for (const line of lines) {
    amount = Math.max(amount, sheet.widthOf(line.amount, text));
    period = Math.max(period, sheet.widthOf(line.period ?? '', text));
    await sheet.turn();
  }
  amount = Math.min(Math.ceil(amount) + 1, width * 0.3);
  period = Math.min(Math.ceil(period) + 1, width * 0.33);
  const name = width - amount - period - 2 * gap;
  return {
    name: { start: 0, width: name, align: 'start' },
    period: { start: name + gap, width: period, align: 'start' },
    amount: { start: width - amount, width: amount, align: 'end' },
  };
}

function drawTableHead(sheet: Sheet, { columns: heads }: PrintableDocument, columns: Columns): void {
  const drawn = (['name', 'period', 'amount'] as const).map((each) =>
    sheet.draw(
      sheet.lines(heads[each], columns[each].width, label),
      { ...columns[each], top: sheet.y },
      label,
    ),
  );
  sheet.y += Math.max(...drawn) + 5;
  sheet.rule(sheet.y, { start: 0, width: sheet.width }, { thickness: 1.1, color: black });
}

const padding = 5.5;

/** Draws a row on one page; a new page repeats the head of the table. */
function drawRow(
  sheet: Sheet,
  line: PrintableLine,
  { columns, head, below }: { readonly columns: Columns; readonly head: () => void; readonly below: number },
): void {
  const detail: TextStyle = { ...label, direction: 'auto', maxLines: 6 };
  const names = sheet.lines(line.name, columns.name.width, own);
  const details = sheet.lines(line.detail, columns.name.width, detail);
  const periods = sheet.lines(line.period, columns.period.width, text);
  const amounts = sheet.lines(line.amount, columns.amount.width, text);
  const nameHeight = names.length * text.size * LINE_HEIGHT;
  const height =
    2 * padding +
    Math.max(
      nameHeight + details.length * detail.size * LINE_HEIGHT,
      Math.max(periods.length, amounts.length) * text.size * LINE_HEIGHT,
    );
  if (sheet.y + height + below > sheet.bottom) {
    sheet.newPage();
    head();
  }
  const top = sheet.y + padding;
  sheet.draw(names, { ...columns.name, top }, own);
  sheet.draw(details, { ...columns.name, top: top + nameHeight }, detail);
  sheet.draw(periods, { ...columns.period, top }, text);
  sheet.draw(amounts, { ...columns.amount, top }, text);
  sheet.y += height;
  sheet.rule(sheet.y, { start: 0, width: sheet.width }, { thickness: 0.6, color: '#d9dde2' });
}

/** Draws the totals on one page. */
function drawTotals(sheet: Sheet, document: PrintableDocument): void {
  const width = Math.max(240, sheet.width / 2);
  const start = sheet.width - width;
  const { plain, last } = partsOfTotals(document);
  startOf(sheet, totalsHeight(document) + gap);
  sheet.y += drawPairs(sheet, plain, { top: sheet.y, start, width, style: text });
  if (last === undefined) return;
  sheet.y += 4;
  sheet.rule(sheet.y, { start, width }, { thickness: 1.1, color: black });
  sheet.y += 6;
  sheet.y += drawPairs(sheet, [last], { top: sheet.y, start, width, style: stressed });
}

/** @returns the stressed total as `last` if there is one. */
function partsOfTotals({ totals, isLastTotalStressed }: PrintableDocument) {
  return isLastTotalStressed
    ? { plain: totals.slice(0, -1), last: totals.at(-1) }
    : { plain: totals, last: undefined };
}

/** Reserves two lines for the last total. */
function totalsHeight(document: PrintableDocument): number {
  const { plain, last } = partsOfTotals(document);
  const lastHeight = last === undefined ? 0 : 2 * stressed.size * LINE_HEIGHT + 12;
  return plain.length * (text.size * LINE_HEIGHT + 3) + lastHeight;
}

/** Adds a gap, or a page if the height does not fit. */
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
  if (isRuled) sheet.rule(sheet.y, { start: 0, width: sheet.width }, { thickness: 0.6, color: '#d9dde2' });
  sheet.y += above;
  sheet.y += sheet.draw(lines, { top: sheet.y, start: 0, width: sheet.width, align: 'start' }, style);
}
