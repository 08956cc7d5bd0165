import type { PrintableDocument, PrintableLine } from '../../lib/ports/index.ts';
import { totalsHeight } from './draw-totals.ts';
import { type Column, LINE_HEIGHT, margin, type Sheet } from './sheet.ts';
import { black, gap, label, lightGray, own, small, text } from './styles.ts';

type Columns = Readonly<Record<'name' | 'period' | 'amount', Column>> & {
  /** The column of tax rates, or null if the table does not have one. */
  readonly tax: Column | null;
};

const PADDING = 5.5;
const BELOW_HEAD = 5;

/** Draws the lines of the table. A line is divided between pages only if it is taller than a page. */
export async function drawTable(sheet: Sheet, document: PrintableDocument): Promise<void> {
  const columns = await columnsOf(sheet, document);
  const table: Table = { document, columns, below: 0 };
  sheet.structure.open('Table');
  if (sheet.y + 4 * label.size * LINE_HEIGHT > sheet.bottom) sheet.newPage();
  drawHead(sheet, table);
  const empty = { name: document.noLines, detail: null, period: null, amount: '', tax: null, notes: [] };
  const lines = document.lines.length === 0 ? [empty] : document.lines;
  const last = lines.at(-1);
  // A page never starts with the totals alone.
  const below = Math.min(totalsHeight(sheet, document) + gap, (sheet.bottom - margin.top) / 2);
  for (const line of lines) {
    drawRow(sheet, line, line === last ? { ...table, below } : table);
    await sheet.turn();
  }
  sheet.structure.close();
}

interface Table {
  readonly document: PrintableDocument;
  readonly columns: Columns;
  /** Height that must stay free below a row. */
  readonly below: number;
}

/**
 * Returns the columns. Amounts, rates and periods get the width that they need, within limits. Names get the remaining
 * width.
 */
async function columnsOf(sheet: Sheet, { columns, lines }: PrintableDocument): Promise<Columns> {
  const { width } = sheet;
  let amount = sheet.widthOf(columns.amount, label);
  let period = sheet.widthOf(columns.period, label);
  let tax = columns.tax === null ? 0 : sheet.widthOf(columns.tax, label);
  for (const line of lines) {
    amount = Math.max(amount, sheet.widthOf(line.amount, text));
    period = Math.max(period, sheet.widthOf(line.period ?? '', text));
    tax = Math.max(tax, sheet.widthOf(line.tax ?? '', text));
    await sheet.turn();
  }
  amount = Math.min(Math.ceil(amount) + 1, width * 0.3);
  period = Math.min(Math.ceil(period) + 1, width * 0.33);
  tax = Math.min(Math.ceil(tax) + 1, width * 0.15);
  const taxWidth = columns.tax === null ? 0 : tax + gap;
  const name = width - amount - period - taxWidth - 2 * gap;
  return {
    name: { start: 0, width: name, align: 'start' },
    period: { start: name + gap, width: period, align: 'start' },
    tax: columns.tax === null ? null : { start: width - amount - gap - tax, width: tax, align: 'end' },
    amount: { start: width - amount, width: amount, align: 'end' },
  };
}

/** Draws the column headings. Assistive technology reads them only once. */
function drawHead(sheet: Sheet, { document, columns }: Table): void {
  sheet.structure.open('TR');
  const height = drawHeadCells(sheet, { document, columns }, (draw) =>
    sheet.structure.content('TH', draw, { scope: 'Column' }),
  );
  sheet.structure.close();
  drawHeadRule(sheet, document, height);
}

function repeatHead(sheet: Sheet, { document, columns }: Table): void {
  sheet.newPage();
  const height = sheet.structure.artifact('Pagination', () =>
    drawHeadCells(sheet, { document, columns }, (draw) => draw()),
  );
  drawHeadRule(sheet, document, height);
}

function drawHeadCells(
  sheet: Sheet,
  { document: { columns: heads }, columns }: Pick<Table, 'document' | 'columns'>,
  drawCell: (draw: () => number) => number,
): number {
  const heights = (['name', 'period', 'tax', 'amount'] as const).map((each) => {
    const column = columns[each];
    if (column === null) return 0;
    const lines = sheet.lines(heads[each], column.width, label);
    return drawCell(() => sheet.draw(lines, { ...column, top: sheet.y }, label));
  });
  return Math.max(...heights);
}

function drawHeadRule(sheet: Sheet, { accent }: PrintableDocument, height: number): void {
  sheet.y += height + BELOW_HEAD;
  const color = accent?.rule ?? black;
  sheet.rule(sheet.y, { start: 0, width: sheet.width }, { thickness: 1.1, color });
}

interface MeasuredRow {
  readonly names: readonly string[];
  /** Detail and notes. */
  readonly smalls: readonly string[];
  readonly periods: readonly string[];
  readonly taxes: readonly string[];
  readonly amounts: readonly string[];
}

function measuredRow(sheet: Sheet, line: PrintableLine, columns: Columns): MeasuredRow {
  const { name, period, tax, amount } = columns;
  return {
    names: sheet.lines(line.name, name.width, own),
    smalls: [line.detail, ...line.notes].flatMap((each) => sheet.lines(each, name.width, small)),
    periods: sheet.lines(line.period, period.width, text),
    taxes: tax === null ? [] : sheet.lines(line.tax, tax.width, text),
    amounts: sheet.lines(line.amount, amount.width, text),
  };
}

const textHeight = text.size * LINE_HEIGHT;
const smallHeight = small.size * LINE_HEIGHT;

function heightOf({ names, smalls, periods, taxes, amounts }: MeasuredRow): number {
  const cells = Math.max(periods.length, taxes.length, amounts.length) * textHeight;
  return 2 * PADDING + Math.max(names.length * textHeight + smalls.length * smallHeight, cells);
}

/** Draws a row. If the row is on a new page, first draws the column headings again. */
function drawRow(sheet: Sheet, line: PrintableLine, table: Table): void {
  const row = measuredRow(sheet, line, table.columns);
  if (sheet.y + heightOf(row) + table.below > sheet.bottom) repeatHead(sheet, table);
  sheet.structure.open('TR');
  drawParts(sheet, row, table);
  sheet.structure.close();
  sheet.rule(sheet.y, { start: 0, width: sheet.width }, { thickness: 0.6, color: lightGray });
}

const nothing: Omit<MeasuredRow, 'smalls'> = { names: [], periods: [], taxes: [], amounts: [] };

/** Draws a row, divided into one part per page. Most rows need only one page. */
function drawParts(sheet: Sheet, row: MeasuredRow, table: Table): void {
  let rest = row;
  for (;;) {
    const room = sheet.bottom - sheet.y - heightOf({ ...rest, smalls: [] });
    const fitting = Math.max(1, Math.floor(room / smallHeight));
    const part = { ...rest, smalls: rest.smalls.slice(0, fitting) };
    drawCells(sheet, part, table.columns);
    sheet.y += heightOf(part);
    const smalls = rest.smalls.slice(fitting);
    if (smalls.length === 0) return;
    rest = { ...nothing, smalls };
    repeatHead(sheet, table);
  }
}

function drawCells(sheet: Sheet, row: MeasuredRow, columns: Columns): void {
  const top = sheet.y + PADDING;
  const { structure } = sheet;
  structure.content('TD', () => {
    const height = sheet.draw(row.names, { ...columns.name, top }, own);
    sheet.draw(row.smalls, { ...columns.name, top: top + height }, small);
  });
  structure.content('TD', () => sheet.draw(row.periods, { ...columns.period, top }, text));
  const { tax } = columns;
  if (tax !== null) structure.content('TD', () => sheet.draw(row.taxes, { ...tax, top }, text));
  structure.content('TD', () => sheet.draw(row.amounts, { ...columns.amount, top }, text));
}
